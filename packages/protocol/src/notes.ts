/**
 * Encrypted notes, version 2 (document 1 section 4.4): what a client signs and sends, and what is refused before a
 * schema looks at it.
 *
 * A version of a note is a statement about a ciphertext: its header, the digest that authenticates the header inside
 * the ciphertext, the ciphertext's hash, and the data key, wrapped for everybody who may read. There is no place in it
 * for a word of the note, so whatever has no place is refused by name.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema } from './base64url.ts'
import { hashSchema } from './hash.ts'
import { noteHeaderSchema, prepareHeader } from './headers.ts'
import { didSchema, signatureSchema, userIdSchema } from './identity.ts'
import { HASH_BYTES, KEM_CIPHERTEXT_BYTES } from './labels.ts'
import { signedSchema, statementSchema } from './statement.ts'

export const NOTE_TYPE = 'svc/note/v2'

/** Readings 12: 1 MiB for a note. 704 KiB and a tag take 961,217 characters of it, and 34 wrapped keys 55,000 more. */
export const MAX_NOTE_BODY_BYTES = 1024 * 1024
export const MAX_NOTE_CIPHERTEXT_BYTES = 704 * 1024 + 16
export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024
/** The owner, and as many devices as an identity may have. */
export const MAX_WRAPPED_KEYS = 34

const TAG_BYTES = 16
const GCM_NONCE_BYTES = 12

/** Words of the routes below `/api/notes/{did}/` (readings 25). */
const RESERVED: readonly string[] = ['cas', 'export', 'storage']

/** One path segment that no URL parser rewrites. */
const segment = z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,127}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ ~ -')
export const noteIdSchema = segment
  .refine((id) => !RESERVED.includes(id), 'must not be cas, export or storage')
  .meta({ id: 'NoteId', description: 'The owner’s name for a note; random unless it should mean something' })
export const attachmentIdSchema = segment.meta({
  id: 'AttachmentId',
  description: 'The owner’s name for an attachment of a note',
})

const wrapped = { kemKeyId: base64urlOf(24), kemCiphertextB64u: base64urlOf(KEM_CIPHERTEXT_BYTES) }

/** RFC 5649 adds eight bytes to a key of 32. */
const kwpWrapped = z.strictObject({ ...wrapped, wrap: z.literal('aes-kwp'), wrappedB64u: base64urlOf(40) })
const gcmWrapped = z.strictObject({
  ...wrapped,
  wrap: z.literal('aes-gcm'),
  nonceB64u: base64urlOf(GCM_NONCE_BYTES),
  wrappedB64u: base64urlOf(32 + TAG_BYTES),
})
export const wrappedKeySchema = z.discriminatedUnion('wrap', [kwpWrapped, gcmWrapped]).meta({
  id: 'WrappedKey',
  description: 'The data key for one reader, named by its ML-KEM-768 key',
})
export type WrappedKey = z.infer<typeof wrappedKeySchema>

/** What stands in clear beside a ciphertext are names and numbers of programs: a sentence does not fit. */
const identifier = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), 'must hold no spaces')
const noteExtSchema = z.record(identifier(64), z.union([identifier(128), z.number(), z.boolean()]))

export const noteStatementSchema = statementSchema(NOTE_TYPE, {
  did: didSchema,
  keyId: userIdSchema.meta({ description: 'SHA3-384 of the key that signs: the root key or a device key' }),
  header: noteHeaderSchema.extend({
    noteId: noteIdSchema,
    deviceId: identifier(128),
    operation: z.enum(['create', 'update', 'attach']),
    contentType: z
      .literal('application/octet-stream')
      .meta({ description: 'Of the ciphertext; what is in it nobody is told' }),
    app: z.strictObject({ name: identifier(64), version: identifier(64) }),
    ext: noteExtSchema.optional().meta({ description: 'Identifiers of at most 128 characters, numbers or booleans' }),
    contentLength: z
      .int()
      .min(TAG_BYTES)
      .max(MAX_NOTE_CIPHERTEXT_BYTES)
      .meta({ description: 'Bytes of the ciphertext, its tag included' }),
  }),
  aadB64u: base64urlOf(HASH_BYTES).meta({ description: 'SHA3-384 over the JCS bytes of `header`' }),
  cipher: z.literal('aes-256-gcm'),
  nonceB64u: base64urlOf(GCM_NONCE_BYTES),
  cipherHash: hashSchema.meta({ description: 'SHA3-384 of the ciphertext' }),
  wrappedKeys: z
    .array(wrappedKeySchema)
    .min(1)
    .max(MAX_WRAPPED_KEYS)
    .refine((keys) => new Set(keys.map(({ kemKeyId }) => kemKeyId)).size === keys.length, 'readers must differ'),
  follows: hashSchema
    .nullable()
    .meta({ description: 'The version that the writer had before it, by `recordHash`; null for the first' }),
}).meta({ id: 'NoteStatement', description: 'One version of a note' })
export type NoteStatement = z.infer<typeof noteStatementSchema>

export const signedNoteSchema = signedSchema(noteStatementSchema).meta({ id: 'SignedNote' })
export type SignedNote = z.infer<typeof signedNoteSchema>

export const noteSubmissionSchema = z
  .strictObject({
    statement: noteStatementSchema,
    signatureB64u: signatureSchema,
    ciphertextB64u: base64urlSchema(MAX_NOTE_CIPHERTEXT_BYTES),
  })
  .meta({ id: 'NoteSubmission', description: 'A version of a note with its ciphertext' })
export type NoteSubmission = z.infer<typeof noteSubmissionSchema>

/** The digest that the ciphertext is bound to: recomputed wherever a statement is believed. */
export function noteAad(header: NoteStatement['header']): string {
  return prepareHeader(header).aadB64u
}

export type NoteFault =
  | { readonly reason: 'plaintext_rejected'; readonly members: readonly string[] }
  | { readonly reason: 'non_native_note_record' }

/** Names under which clients have sent words, keys and file names elsewhere, without `-` and `_`, in lower case. */
const PLAINTEXT_NAMES: ReadonlySet<string> = new Set(
  [
    'body content contents text plaintext html markdown message title subject summary description note notes tag tags',
    'label labels keyword keywords filename filetype mimetype attachmentname attachmenttype author email',
    'dek datakey key privatekey secret secretkey password passphrase',
  ].flatMap((names) => names.split(' ')),
)
/** A note has three levels below its own; what is deeper is no note and is left to the schema. */
const MAX_DEPTH = 4
/** Enough to mend a client by. */
const MAX_NAMED = 10
const MAX_NAME_CHARS = 64

/**
 * What is refused before anything else is said of a body. Words come first: a record in another format is refused
 * for them too, and no answer to it may invite to send it again.
 */
export function noteFault(body: unknown): NoteFault | null {
  const words = plaintextMembers(body, '', 0)
  if (words.length > 0) return { reason: 'plaintext_rejected', members: named(words) }
  if (!isObject(body)) return null
  const { statement } = body
  if (!isObject(statement) || statement['type'] !== NOTE_TYPE) return { reason: 'non_native_note_record' }
  // Only names matter here, and the ciphertext is long.
  const { issues } = noteSubmissionSchema.safeParse({ ...body, ciphertextB64u: '' }).error ?? { issues: [] }
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key].join('.')) : [],
  )
  return unknown.length > 0 ? { reason: 'plaintext_rejected', members: named(unknown) } : null
}

function plaintextMembers(value: unknown, path: string, depth: number): string[] {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return []
  // Places in an array are no names: half a million numbers fit into a body.
  if (Array.isArray(value)) {
    return value.flatMap((member: unknown, i) =>
      typeof member === 'object' ? plaintextMembers(member, `${path}${i}.`, depth + 1) : [],
    )
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const isWord = PLAINTEXT_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''))
    return isWord ? [path + name] : plaintextMembers(member, `${path}${name}.`, depth + 1)
  })
}

function named(members: readonly string[]): string[] {
  return members.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME_CHARS))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
