/**
 * The log of a note vault: every version, attachment and tombstone in order of acceptance, with an RFC 9162 tree over
 * it. A signed manifest fixes its size and root, so that an owner can prove what an export omits.
 *
 * Deleting a note erases its records and ciphertexts but not their log entries: the leaves stay and reveal only that
 * something existed.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf, decodeBase64url } from '../base/base64url.ts'
import { hashHex, hashSchema, toHex } from '../base/hash.ts'
import { didSchema, publicKeySchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { signedSchema, statementHash, statementSchema, verifyStatement } from '../base/statement.ts'
import { leafHash, merkleRoot } from '../merkle/tree.ts'
import { attachmentIdSchema, noteAad, noteIdSchema, signedNoteSchema } from './notes.ts'

const sequence = /* @__PURE__ */ pure(() =>
  z.int().min(0).meta({ description: 'Position in the vault log, starting at 0' }),
)
const at = (what: string) => z.number().meta({ description: `${what}, epoch ms` })

/** One log entry. Its leaf hash covers every member. */
export const noteChangeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      seq: sequence,
      noteId: noteIdSchema,
      kind: z.enum(['version', 'attachment', 'tombstone']),
      version: z.int().min(1).nullable().meta({ description: 'Version number within the note; null for other kinds' }),
      attachmentId: attachmentIdSchema.nullable(),
      recordHash: hashSchema.nullable().meta({
        description: 'SHA3-384 of a version’s statement (JCS bytes) or of an attachment’s ciphertext',
      }),
      acceptedAt: at('When it was accepted'),
    })
    .meta({ id: 'NoteChange' }),
)
export type NoteChange = z.infer<typeof noteChangeSchema>

export function changeLeaf(change: NoteChange): Uint8Array {
  return leafHash(jcsBytes(change))
}

const logState = /* @__PURE__ */ pure(() => ({
  did: didSchema,
  size: z.int().min(0).meta({ description: 'Number of log entries' }),
  root: hashSchema.meta({ description: 'Root of the tree over their leaves' }),
}))

export const noteManifestSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/note-manifest/v1', {
    ...logState,
    length: z.int().min(0).meta({ description: 'Log length at signing; equals `size` on the first page' }),
  }).meta({
    id: 'NoteManifest',
    description: 'The service attests the size and root of a vault log',
  }),
)
export const signedManifestSchema = /* @__PURE__ */ pure(() =>
  signedSchema(noteManifestSchema)
    .extend({ publicKeyB64u: publicKeySchema.meta({ description: 'The service’s key for receipts' }) })
    .meta({ id: 'SignedNoteManifest' }),
)
export type SignedManifest = z.infer<typeof signedManifestSchema>

export const noteDeletionSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/note-deletion/v1', {
    ...logState,
    noteId: noteIdSchema,
    seq: sequence.meta({
      description: 'Position of the tombstone; `size` and `root` describe the log that ends with it',
    }),
    versions: z.int().min(1).meta({ description: 'Number of erased versions' }),
    attachments: z.int().min(0).meta({ description: 'Number of erased attachments' }),
    lastRecordHash: hashSchema.meta({ description: 'Record hash of the newest erased version' }),
    collectableFrom: at('When ciphertexts without other references become eligible for deletion from the store'),
  }).meta({ id: 'NoteDeletion', description: 'The service attests that it erased a note' }),
)
export type NoteDeletion = z.infer<typeof noteDeletionSchema>
export const deletionReceiptSchema = /* @__PURE__ */ pure(() =>
  signedSchema(noteDeletionSchema)
    .extend({ publicKeyB64u: publicKeySchema.meta({ description: 'The service’s key for receipts' }) })
    .meta({ id: 'NoteDeletionReceipt' }),
)
export type DeletionReceipt = z.infer<typeof deletionReceiptSchema>

/** A log entry with its record, unless the record was erased. */
export const exportedChangeSchema = /* @__PURE__ */ pure(() =>
  noteChangeSchema
    .extend({
      isErased: z.boolean().meta({ description: 'The note was deleted; its tombstone follows later in the log' }),
      record: signedNoteSchema.nullable(),
      ciphertextB64u: z
        .string()
        .nullable()
        .meta({ description: 'Ciphertext of a version; attachments are fetched separately' }),
      bytes: z.int().nullable().meta({ description: 'Size of the ciphertext' }),
    })
    .meta({ id: 'ExportedNoteChange' }),
)
export type ExportedChange = z.infer<typeof exportedChangeSchema>

export const noteExportSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/note-export/v1'),
      manifest: signedManifestSchema,
      entries: z.array(exportedChangeSchema),
      cursor: z.string().nullable().meta({ description: 'Cursor of the next page of this export; null on the last' }),
    })
    .meta({ id: 'NoteExport', description: 'One page of the whole vault as of the first page’s request' }),
)
export type NoteExport = z.infer<typeof noteExportSchema>

/** Whether a manifest or receipt was signed by the service's key, which the caller must know independently. */
export async function verifyReceipt(
  signed: SignedManifest | DeletionReceipt,
  expectedKeyB64u: string,
  expectedRealms: Realms,
): Promise<boolean> {
  const { publicKeyB64u, ...statement } = signed
  return publicKeyB64u === expectedKeyB64u && verifyStatement(statement, bytesOf(expectedKeyB64u), expectedRealms)
}

export type ExportFault = {
  readonly reason: 'another_export' | 'gap' | 'record' | 'ciphertext' | 'erased' | 'incomplete' | 'root'
  readonly seq: number
}

/**
 * Verifies an export page by page: every entry of the manifest is present, every record matches its leaf, and the only
 * missing records belong to notes with a tombstone. The caller checks the signatures of records and manifest.
 */
export class ExportVerifier {
  readonly #leaves: Uint8Array[] = []
  /** Notes with an erased entry whose tombstone has not been seen yet. */
  readonly #erased = new Map<string, number>()
  #manifest: SignedManifest['statement'] | null = null

  /** The fault of the next page, or null. */
  next({ manifest, entries }: NoteExport): ExportFault | null {
    const { did, size, root, length } = manifest.statement
    // If the first page covered less than the full log, a partial export would look complete.
    if (!this.#manifest && length !== size) return { reason: 'incomplete', seq: 0 }
    this.#manifest ??= manifest.statement
    const isSame = this.#manifest.did === did && this.#manifest.size === size && this.#manifest.root === root
    if (!isSame) return { reason: 'another_export', seq: this.#leaves.length }
    for (const entry of entries) {
      const reason = this.#faultOf(entry, did)
      if (reason) return { reason, seq: entry.seq }
    }
    return null
  }

  /** The root of the log when it had this many entries; null if the export has fewer. */
  rootAt(size: number): string | null {
    return size <= this.#leaves.length ? toHex(merkleRoot(this.#leaves.slice(0, size))) : null
  }

  /** The fault of the export as a whole, or null if it is the complete vault. */
  end(): ExportFault | null {
    const seq = this.#leaves.length
    if (!this.#manifest || seq !== this.#manifest.size) return { reason: 'incomplete', seq }
    if (toHex(merkleRoot(this.#leaves)) !== this.#manifest.root) return { reason: 'root', seq }
    const [unexplained] = this.#erased.values()
    return unexplained === undefined ? null : { reason: 'erased', seq: unexplained }
  }

  #faultOf(entry: ExportedChange, did: string): ExportFault['reason'] | null {
    const { isErased, record, ciphertextB64u, bytes, ...change } = entry
    if (change.seq !== this.#leaves.length) return 'gap'
    this.#leaves.push(changeLeaf(change))
    if (change.kind === 'tombstone') this.#erased.delete(change.noteId)
    if (change.kind === 'tombstone') return null
    if (isErased) {
      if (!this.#erased.has(change.noteId)) this.#erased.set(change.noteId, change.seq)
      return null
    }
    if (change.kind === 'attachment') {
      const isNamed = change.attachmentId !== null && change.recordHash !== null && bytes !== null
      return isNamed ? null : 'record'
    }
    const statement = record?.statement
    const isRecord =
      statement?.did === did &&
      statement.header.noteId === change.noteId &&
      statement.aadB64u === noteAad(statement.header) &&
      statementHash(statement) === change.recordHash
    if (!isRecord) return 'record'
    const ciphertext = decodeBase64url(ciphertextB64u ?? '')
    const isCiphertext =
      ciphertext?.length === bytes && hashHex(ciphertext ?? new Uint8Array()) === statement.cipherHash
    return isCiphertext ? null : 'ciphertext'
  }
}
