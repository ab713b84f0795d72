/** Requests and responses of core's notes routes (workers/docs/pages/developer/notes.md), apart from notes and log. */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema } from '../base/statement.ts'
import { forms } from '../http/path-forms.ts'
import { attachmentIdSchema, noteIdSchema, signedNoteSchema } from './notes.ts'

/** About 400 bytes per entry, so 400 kB per page. */
export const MAX_INDEX_PAGE = 1_000
export const DEFAULT_INDEX_PAGE = 100
/** About 350 bytes per row. */
export const MAX_VERSIONS_PAGE = 500
export const DEFAULT_VERSIONS_PAGE = 100
/** 100 records of 7 kB, plus at most 4 MiB of ciphertext; a single larger ciphertext gets a page of its own. */
export const MAX_EXPORT_PAGE = 100
export const MAX_EXPORT_PAGE_BYTES = 4 * 1024 * 1024

const at = (what: string) => z.number().meta({ description: `${what}, epoch ms` })
const recordHash = /* @__PURE__ */ hashSchema.meta({
  description: 'SHA3-384 of the statement’s JCS bytes; identifies this version',
})
const seq = /* @__PURE__ */ pure(() => z.int().min(0).meta({ description: 'Position in the vault log' }))
const version = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Version number within the note, starting at 1' }),
)
/** A page size out of bounds is clamped; anything but digits is rejected. */
const integer = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number),
)

export const noteParamsSchema = /* @__PURE__ */ z.strictObject({ did: didSchema })
export const oneNoteParamsSchema = /* @__PURE__ */ z.strictObject({ did: didSchema, noteId: noteIdSchema })
export const versionParamsSchema = /* @__PURE__ */ z.strictObject({ did: didSchema, noteId: noteIdSchema, v: integer })
export const attachmentParamsSchema = /* @__PURE__ */ z.strictObject({
  did: didSchema,
  noteId: noteIdSchema,
  attId: attachmentIdSchema,
})
/** An upload chooses the name of the attachment, so one in another form is a malformed request. */
export const newAttachmentParamsSchema = /* @__PURE__ */ pure(() =>
  attachmentParamsSchema.extend({
    attId: attachmentIdSchema.clone().register(forms, { isPublished: true }),
  }),
)
export const blobParamsSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    did: didSchema,
    cipherHash: hashSchema.clone().register(forms, { isPublished: true }),
  }),
)

export const noteAppendedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ noteId: noteIdSchema, version, seq, recordHash, acceptedAt: at('When it was accepted') })
    .meta({ id: 'NoteAppended' }),
)
export type NoteAppended = z.infer<typeof noteAppendedSchema>

/** With 1 MiB in all, as of one note. */
export const MAX_NOTE_BATCH = 50
export const noteBatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ items: z.array(z.unknown()).min(1).max(MAX_NOTE_BATCH) })
    .meta({ id: 'NoteBatch', description: 'Each item is a `NoteSubmission`, and gets its own result' }),
)
export const noteResultSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      noteAppendedSchema.extend({ ok: z.literal(true) }),
      z.strictObject({
        ok: z.literal(false),
        error: z.string().meta({ description: 'As `appendNote` refuses it', example: 'note_tombstoned' }),
        message: z.string(),
        details: z.record(z.string(), z.unknown()).optional(),
      }),
    ])
    .meta({ id: 'NoteResult' }),
)
export type NoteResult = z.infer<typeof noteResultSchema>
export const noteResultsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ results: z.array(noteResultSchema).meta({ description: 'One for each item, at its place' }) })
    .meta({ id: 'NoteResults' }),
)

export const noteEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      noteId: noteIdSchema,
      status: z.enum(['stored', 'tombstoned']),
      version: version.meta({ description: 'Newest version' }),
      seq: seq.meta({ description: 'Position of its newest change in the vault log' }),
      recordHash: recordHash.nullable().meta({ description: 'Record hash of the newest version; null once erased' }),
      bytes: z.int().meta({ description: 'Ciphertext size of the newest version; 0 once erased' }),
      attachments: z.int(),
      createdAt: at('When its first version was accepted'),
      updatedAt: at('When its newest change was accepted'),
    })
    .meta({ id: 'NoteEntry', description: 'Index entry of a note' }),
)
export type NoteEntry = z.infer<typeof noteEntrySchema>

export const indexQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ cursor: integer.optional(), limit: integer.optional() }),
)
export const noteIndexSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      notes: z.array(noteEntrySchema),
      cursor: z.string().meta({ description: 'Start of the next page; keep the last one to fetch later changes' }),
      more: z.boolean(),
      size: z.int().meta({ description: 'Number of entries in the vault log' }),
    })
    .meta({ id: 'NoteIndex', description: 'Notes ordered by their newest change, oldest first' }),
)
export type NoteIndex = z.infer<typeof noteIndexSchema>

const attachment = /* @__PURE__ */ pure(() =>
  z.strictObject({
    attachmentId: attachmentIdSchema,
    cipherHash: hashSchema,
    bytes: z.int().meta({ description: 'Size of the ciphertext' }),
    seq,
    addedAt: at('When it was accepted'),
  }),
)
export const attachmentSchema = /* @__PURE__ */ attachment.meta({ id: 'NoteAttachment' })
export type Attachment = z.infer<typeof attachmentSchema>

const stored = /* @__PURE__ */ pure(() => ({
  ...noteAppendedSchema.shape,
  ...signedNoteSchema.shape,
  ciphertextB64u: z.string(),
}))
export const noteAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...stored, attachments: z.array(attachmentSchema) })
    .meta({ id: 'Note', description: 'The newest version of a note and its attachments' }),
)
export type NoteAnswer = z.infer<typeof noteAnswerSchema>
export const noteVersionSchema = /* @__PURE__ */ pure(() => z.strictObject(stored).meta({ id: 'NoteVersion' }))
export type NoteVersion = z.infer<typeof noteVersionSchema>

export const versionSummarySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version,
      seq,
      recordHash,
      follows: hashSchema.nullable(),
      keyId: userIdSchema,
      operation: z.enum(['create', 'update', 'attach']),
      bytes: z.int(),
      acceptedAt: at('When it was accepted'),
    })
    .meta({ id: 'NoteVersionSummary' }),
)
export type VersionSummary = z.infer<typeof versionSummarySchema>
export const versionsQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ from: integer.optional(), limit: integer.optional() }),
)
export const noteVersionsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      noteId: noteIdSchema,
      versions: z.array(versionSummarySchema),
      next: version.nullable().meta({ description: '`from` for the next page; null on the last' }),
    })
    .meta({ id: 'NoteVersions', description: 'Versions of a note, ascending' }),
)
export type NoteVersions = z.infer<typeof noteVersionsSchema>

export const attachmentQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    cipherHash: hashSchema.meta({ description: 'SHA3-384 of the body; an assertion’s `bodyHash` must equal it' }),
    reuse: z
      .literal('true')
      .optional()
      .meta({ description: 'The vault already stores this ciphertext: send an empty body, nothing is uploaded' }),
  }),
)

/** Export cursor: the next entry, and the size of the log being exported. */
export const exportQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    cursor: z
      .string()
      .regex(/^[0-9]{1,12}\.[0-9]{1,12}$/, 'must be a cursor from a previous page')
      .transform((text) => {
        const [from = 0, size = 0] = text.split('.').map(Number)
        return { from, size }
      })
      .optional(),
  }),
)

export const storageUsageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      bytesUsed: z
        .number()
        .meta({ description: 'Stored ciphertext in bytes; shared blobs count once, deleted ones until collected' }),
      objectCount: z.number().meta({ description: 'Number of stored blobs' }),
      measuredAt: at('Time of measurement'),
    })
    .meta({ id: 'StorageUsage' }),
)
export type StorageUsage = z.infer<typeof storageUsageSchema>

export const blobRefSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      cipherHash: hashSchema,
      bytes: z.int(),
      refs: z.int().meta({ description: 'Number of versions and attachments that reference it' }),
      unreferencedSince: z.number().nullable().meta({ description: 'Unreferenced since, epoch ms' }),
    })
    .meta({ id: 'BlobRef' }),
)
export type BlobRef = z.infer<typeof blobRefSchema>
export const refsQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ after: hashSchema.optional(), limit: integer.optional() }),
)
export const blobRefsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      blobs: z.array(blobRefSchema),
      next: hashSchema.nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'BlobRefs', description: 'Blobs of the vault, ascending by hash' }),
)
export type BlobRefs = z.infer<typeof blobRefsSchema>

/** The credential of its route: signed by the root key, valid five minutes either way, single-use. */
export const collectStatementSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/note-gc/v1', { did: didSchema }).meta({ id: 'NoteGc' }),
)
export const rebuildStatementSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/note-rebuild/v1', { did: didSchema }).meta({
    id: 'NoteRebuild',
  }),
)
export const collectRequestSchema = /* @__PURE__ */ pure(() =>
  signedSchema(collectStatementSchema).meta({ id: 'SignedNoteGc' }),
)
export type CollectRequest = z.infer<typeof collectRequestSchema>
export const rebuildRequestSchema = /* @__PURE__ */ pure(() =>
  signedSchema(rebuildStatementSchema)
    .extend({ dryRun: z.boolean().optional().meta({ description: 'Only report differences' }) })
    .meta({ id: 'SignedNoteRebuild' }),
)
export type RebuildRequest = z.infer<typeof rebuildRequestSchema>

const amount = /* @__PURE__ */ pure(() => z.strictObject({ objects: z.int(), bytes: z.int() }))
export const collectedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      collected: amount.meta({ description: 'Deleted blobs that were unreferenced for the grace period' }),
      orphans: amount.meta({ description: 'Deleted uploads of the same age that were never completed' }),
      waiting: amount.meta({ description: 'Unreferenced blobs still within the grace period' }),
      nextAt: z.number().nullable().meta({ description: 'When the oldest waiting blob can be collected, epoch ms' }),
    })
    .meta({ id: 'NotesCollected' }),
)
export type Collected = z.infer<typeof collectedSchema>

const difference = /* @__PURE__ */ pure(() =>
  z.strictObject({ cipherHash: hashSchema, recorded: z.int(), actual: z.int() }),
)
export const rebuiltSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      dryRun: z.boolean(),
      refs: z.array(difference).meta({ description: 'Blobs with a wrong reference count; at most 100 are listed' }),
      missing: z.array(hashSchema).meta({ description: 'Referenced blobs missing from the store; at most 100' }),
      orphans: amount.meta({ description: 'Stored objects unknown to the index' }),
      usage: z.strictObject({ recorded: amount, actual: amount }),
      differences: z.int().meta({ description: 'Number of differences of all kinds, excluding orphans' }),
    })
    .meta({ id: 'NotesRebuilt', description: 'Differences between the index and the actual state' }),
)
export type Rebuilt = z.infer<typeof rebuiltSchema>
