/** The shapes of core's notes routes that are neither a note nor its log (document 1 sections 2.3 and 4.4). */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { didSchema, userIdSchema } from './identity.ts'
import { attachmentIdSchema, noteIdSchema, signedNoteSchema } from './notes.ts'
import { signedSchema, statementSchema } from './statement.ts'

/** Some 400 bytes an entry, so 400 kB a page. */
export const MAX_INDEX_PAGE = 1_000
export const DEFAULT_INDEX_PAGE = 100
/** Some 350 bytes a row. */
export const MAX_VERSIONS_PAGE = 500
export const DEFAULT_VERSIONS_PAGE = 100
/** With at most 4 MiB of ciphertext, or one that is longer: 100 records of 7 kB beside it. */
export const MAX_EXPORT_PAGE = 100
export const MAX_EXPORT_PAGE_BYTES = 4 * 1024 * 1024

const at = (what: string) => z.number().meta({ description: `${what}, epoch ms` })
const recordHash = hashSchema.meta({ description: 'SHA3-384 of the statement’s JCS bytes: names this version' })
const seq = z.int().min(0).meta({ description: 'Place in the log of the vault' })
const version = z.int().min(1).meta({ description: 'Counts the versions of one note, from 1' })
/** A page size beyond the bounds is clamped; what is no number is refused. */
const integer = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number)

export const noteParamsSchema = z.strictObject({ did: didSchema })
export const oneNoteParamsSchema = z.strictObject({ did: didSchema, noteId: noteIdSchema })
export const versionParamsSchema = z.strictObject({ did: didSchema, noteId: noteIdSchema, v: integer })
export const attachmentParamsSchema = z.strictObject({
  did: didSchema,
  noteId: noteIdSchema,
  attId: attachmentIdSchema,
})
export const blobParamsSchema = z.strictObject({ did: didSchema, cipherHash: hashSchema })

export const noteAppendedSchema = z
  .strictObject({ noteId: noteIdSchema, version, seq, recordHash, acceptedAt: at('When it was taken') })
  .meta({ id: 'NoteAppended' })
export type NoteAppended = z.infer<typeof noteAppendedSchema>

export const noteEntrySchema = z
  .strictObject({
    noteId: noteIdSchema,
    status: z.enum(['stored', 'tombstoned']),
    version: version.meta({ description: 'The newest' }),
    seq: seq.meta({ description: 'Place of its newest change in the log of the vault' }),
    recordHash: recordHash.nullable().meta({ description: 'Of the newest version; null once it was erased' }),
    bytes: z.int().meta({ description: 'Ciphertext of the newest version; 0 once it was erased' }),
    attachments: z.int(),
    createdAt: at('When its first version was taken'),
    updatedAt: at('When its newest change was taken'),
  })
  .meta({ id: 'NoteEntry', description: 'What the index says of a note' })
export type NoteEntry = z.infer<typeof noteEntrySchema>

export const indexQuerySchema = z.strictObject({ cursor: integer.optional(), limit: integer.optional() })
export const noteIndexSchema = z
  .strictObject({
    notes: z.array(noteEntrySchema),
    cursor: z.string().meta({ description: 'Where the next page begins, and later what changed since this one' }),
    more: z.boolean(),
    size: z.int().meta({ description: 'Entries of the log of the vault' }),
  })
  .meta({ id: 'NoteIndex', description: 'Notes in the order of their newest change, the oldest first' })
export type NoteIndex = z.infer<typeof noteIndexSchema>

const attachment = z.strictObject({
  attachmentId: attachmentIdSchema,
  cipherHash: hashSchema,
  bytes: z.int().meta({ description: 'Of the ciphertext' }),
  seq,
  addedAt: at('When it was taken'),
})
export const attachmentSchema = attachment.meta({ id: 'NoteAttachment' })
export type Attachment = z.infer<typeof attachmentSchema>

const stored = {
  ...noteAppendedSchema.shape,
  ...signedNoteSchema.shape,
  ciphertextB64u: z.string(),
}
export const noteAnswerSchema = z
  .strictObject({ ...stored, attachments: z.array(attachmentSchema) })
  .meta({ id: 'Note', description: 'The newest version of a note, and its attachments' })
export type NoteAnswer = z.infer<typeof noteAnswerSchema>
export const noteVersionSchema = z.strictObject(stored).meta({ id: 'NoteVersion' })
export type NoteVersion = z.infer<typeof noteVersionSchema>

export const versionSummarySchema = z
  .strictObject({
    version,
    seq,
    recordHash,
    follows: hashSchema.nullable(),
    keyId: userIdSchema,
    operation: z.enum(['create', 'update', 'attach']),
    bytes: z.int(),
    acceptedAt: at('When it was taken'),
  })
  .meta({ id: 'NoteVersionSummary' })
export type VersionSummary = z.infer<typeof versionSummarySchema>
export const versionsQuerySchema = z.strictObject({ from: integer.optional(), limit: integer.optional() })
export const noteVersionsSchema = z
  .strictObject({
    noteId: noteIdSchema,
    versions: z.array(versionSummarySchema),
    next: version.nullable().meta({ description: '`from` of the next page; null on the last' }),
  })
  .meta({ id: 'NoteVersions', description: 'Versions of a note, ascending' })
export type NoteVersions = z.infer<typeof noteVersionsSchema>

export const attachmentQuerySchema = z.strictObject({
  cipherHash: hashSchema.meta({ description: 'SHA3-384 of the body; an assertion’s `bodyHash` must equal it' }),
  reuse: z
    .literal('true')
    .optional()
    .meta({ description: 'The vault holds this ciphertext already: the body is empty and nothing is uploaded' }),
})

/** Where an export stands: the next entry, and the size of the log that it is an export of. */
export const exportQuerySchema = z.strictObject({
  cursor: z
    .string()
    .regex(/^[0-9]{1,12}\.[0-9]{1,12}$/, 'must be the cursor of a page')
    .transform((text) => {
      const [from = 0, size = 0] = text.split('.').map(Number)
      return { from, size }
    })
    .optional(),
})

export const storageUsageSchema = z
  .strictObject({
    did: didSchema,
    bytesUsed: z.number().meta({ description: 'Ciphertext in the store, shared blobs once, until it is collected' }),
    objectCount: z.number().meta({ description: 'Blobs in the store' }),
    measuredAt: at('When it was measured'),
  })
  .meta({ id: 'StorageUsage' })
export type StorageUsage = z.infer<typeof storageUsageSchema>

export const blobRefSchema = z
  .strictObject({
    cipherHash: hashSchema,
    bytes: z.int(),
    refs: z.int().meta({ description: 'Versions and attachments that refer to it' }),
    unreferencedSince: z.number().nullable().meta({ description: 'Since when nothing does, epoch ms' }),
  })
  .meta({ id: 'BlobRef' })
export type BlobRef = z.infer<typeof blobRefSchema>
export const refsQuerySchema = z.strictObject({ after: hashSchema.optional(), limit: integer.optional() })
export const blobRefsSchema = z
  .strictObject({
    blobs: z.array(blobRefSchema),
    next: hashSchema.nullable().meta({ description: '`after` of the next page; null on the last' }),
  })
  .meta({ id: 'BlobRefs', description: 'Blobs of the vault by their hash, ascending' })
export type BlobRefs = z.infer<typeof blobRefsSchema>

/** Readings 25: signed by the root key, five minutes either way, each once; the credential of its route. */
export const collectStatementSchema = statementSchema('svc/note-gc/v1', { did: didSchema }).meta({ id: 'NoteGc' })
export const rebuildStatementSchema = statementSchema('svc/note-rebuild/v1', { did: didSchema }).meta({
  id: 'NoteRebuild',
})
export const collectRequestSchema = signedSchema(collectStatementSchema).meta({ id: 'SignedNoteGc' })
export type CollectRequest = z.infer<typeof collectRequestSchema>
export const rebuildRequestSchema = signedSchema(rebuildStatementSchema)
  .extend({ dryRun: z.boolean().optional().meta({ description: 'Only says what differs' }) })
  .meta({ id: 'SignedNoteRebuild' })
export type RebuildRequest = z.infer<typeof rebuildRequestSchema>

const amount = z.strictObject({ objects: z.int(), bytes: z.int() })
export const collectedSchema = z
  .strictObject({
    collected: amount.meta({ description: 'Blobs that nothing had referred to for the grace period' }),
    orphans: amount.meta({ description: 'Uploads that were never taken, as old' }),
    waiting: amount.meta({ description: 'Blobs that nothing refers to and that are not old enough' }),
    nextAt: z.number().nullable().meta({ description: 'When the oldest of those can be collected, epoch ms' }),
  })
  .meta({ id: 'NotesCollected' })
export type Collected = z.infer<typeof collectedSchema>

const difference = z.strictObject({ cipherHash: hashSchema, recorded: z.int(), actual: z.int() })
export const rebuiltSchema = z
  .strictObject({
    dryRun: z.boolean(),
    refs: z.array(difference).meta({ description: 'Blobs whose count of references was wrong; at most 100 are named' }),
    missing: z.array(hashSchema).meta({ description: 'Blobs that are referred to and not in the store; at most 100' }),
    orphans: amount.meta({ description: 'Objects in the store that the index does not know' }),
    usage: z.strictObject({ recorded: amount, actual: amount }),
    differences: z.int().meta({ description: 'How many of all kinds, orphans left out' }),
  })
  .meta({ id: 'NotesRebuilt', description: 'What the index said and what it should say' })
export type Rebuilt = z.infer<typeof rebuiltSchema>
