/**
 * The log of a note vault: every version, attachment and tombstone in the order in which it was taken, with an
 * RFC 9162 tree over it. A signed manifest closes it at a size, so that an owner can prove what an export leaves out.
 *
 * Deleting a note erases its records and ciphertexts, not their places: the leaves stay, and say nothing but that
 * there was something.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf, decodeBase64url } from './base64url.ts'
import { hashHex, hashSchema, toHex } from './hash.ts'
import { didSchema, publicKeySchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'
import { leafHash, merkleRoot } from './merkle.ts'
import { attachmentIdSchema, noteAad, noteIdSchema, signedNoteSchema } from './notes.ts'
import { signedSchema, statementHash, statementSchema, verifyStatement } from './statement.ts'

const sequence = z.int().min(0).meta({ description: 'Place in the log of the vault, from 0' })
const at = (what: string) => z.number().meta({ description: `${what}, epoch ms` })

/** One entry of the log. Every member is hashed into its leaf. */
export const noteChangeSchema = z
  .strictObject({
    seq: sequence,
    noteId: noteIdSchema,
    kind: z.enum(['version', 'attachment', 'tombstone']),
    version: z.int().min(1).nullable().meta({ description: 'Of a version: its number within the note' }),
    attachmentId: attachmentIdSchema.nullable(),
    recordHash: hashSchema.nullable().meta({
      description: 'Of a version the SHA3-384 of its statement’s JCS bytes, of an attachment that of its ciphertext',
    }),
    acceptedAt: at('When it was taken'),
  })
  .meta({ id: 'NoteChange' })
export type NoteChange = z.infer<typeof noteChangeSchema>

export function changeLeaf(change: NoteChange): Uint8Array {
  return leafHash(jcsBytes(change))
}

const logState = {
  did: didSchema,
  size: z.int().min(0).meta({ description: 'Entries of the log' }),
  root: hashSchema.meta({ description: 'Root of the tree over their leaves' }),
}

export const noteManifestSchema = statementSchema('svc/note-manifest/v1', {
  ...logState,
  length: z.int().min(0).meta({ description: 'Entries of the log when this was signed: `size` on the first page' }),
}).meta({
  id: 'NoteManifest',
  description: 'The service says how long the log of a vault is and what it holds',
})
export const signedManifestSchema = signedSchema(noteManifestSchema)
  .extend({ publicKeyB64u: publicKeySchema.meta({ description: 'The service’s key for receipts' }) })
  .meta({ id: 'SignedNoteManifest' })
export type SignedManifest = z.infer<typeof signedManifestSchema>

export const noteDeletionSchema = statementSchema('svc/note-deletion/v1', {
  ...logState,
  noteId: noteIdSchema,
  seq: sequence.meta({ description: 'Place of the tombstone; `size` and `root` are of the log that it closed' }),
  versions: z.int().min(1).meta({ description: 'How many versions were erased' }),
  attachments: z.int().min(0).meta({ description: 'How many attachments were erased' }),
  lastRecordHash: hashSchema.meta({ description: 'The newest version that was erased' }),
  collectableFrom: at('From then on ciphertexts that nothing else refers to are deleted from the store'),
}).meta({ id: 'NoteDeletion', description: 'The service says that it has erased a note' })
export type NoteDeletion = z.infer<typeof noteDeletionSchema>
export const deletionReceiptSchema = signedSchema(noteDeletionSchema)
  .extend({ publicKeyB64u: publicKeySchema.meta({ description: 'The service’s key for receipts' }) })
  .meta({ id: 'NoteDeletionReceipt' })
export type DeletionReceipt = z.infer<typeof deletionReceiptSchema>

/** An entry with what it stood for, unless that was erased. */
export const exportedChangeSchema = noteChangeSchema
  .extend({
    isErased: z.boolean().meta({ description: 'The note was deleted: a tombstone of it comes later in the log' }),
    record: signedNoteSchema.nullable(),
    ciphertextB64u: z.string().nullable().meta({ description: 'Of a version. Attachments are fetched by themselves' }),
    bytes: z.int().nullable().meta({ description: 'Of the ciphertext' }),
  })
  .meta({ id: 'ExportedNoteChange' })
export type ExportedChange = z.infer<typeof exportedChangeSchema>

export const noteExportSchema = z
  .strictObject({
    format: z.literal('svc/note-export/v1'),
    manifest: signedManifestSchema,
    entries: z.array(exportedChangeSchema),
    cursor: z.string().nullable().meta({ description: 'Of the next page of this very export; null on the last' }),
  })
  .meta({ id: 'NoteExport', description: 'One page of the whole vault as it was when the first page was asked for' })
export type NoteExport = z.infer<typeof noteExportSchema>

/** Whether a manifest or a receipt was signed by the service’s key as the caller knows it. */
export async function verifyReceipt(
  signed: SignedManifest | DeletionReceipt,
  expectedKeyB64u: string,
): Promise<boolean> {
  const { publicKeyB64u, ...statement } = signed
  return publicKeyB64u === expectedKeyB64u && verifyStatement(statement, bytesOf(expectedKeyB64u))
}

export type ExportFault = {
  readonly reason: 'another_export' | 'gap' | 'record' | 'ciphertext' | 'erased' | 'incomplete' | 'root'
  readonly seq: number
}

/**
 * Follows an export page by page: that every entry of the manifest is there, that what an entry stands for is what its
 * leaf says, and that nothing is missing but notes whose tombstones are there. Who signed the records, and the
 * manifest, is for the caller to check.
 */
export class ExportVerifier {
  readonly #leaves: Uint8Array[] = []
  /** Notes with an erased entry whose tombstone has not come yet. */
  readonly #erased = new Map<string, number>()
  #manifest: SignedManifest['statement'] | null = null

  /** What is wrong with the next page, or null. */
  next({ manifest, entries }: NoteExport): ExportFault | null {
    const { did, size, root, length } = manifest.statement
    // A first page under a shorter log than there is would make a part look like the whole.
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

  /** What is wrong with the whole, or null when the export is the vault, complete. */
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
