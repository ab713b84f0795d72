/**
 * Encrypted notes, version 2 (workers/docs/pages/developer/notes.md): what a client signs and sends, and what is
 * rejected before schema validation.
 *
 * A version of a note is a statement about a ciphertext: its header, the digest that binds the header to the
 * ciphertext, the ciphertext's hash, and the data key wrapped for each reader. No member can hold plaintext, so unknown
 * members are rejected by name.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema } from '../base/base64url.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, signatureSchema, userIdSchema } from '../base/identity.ts'
import { hybridCiphertextShape } from '../base/key-agreement.ts'
import { HASH_BYTES } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema } from '../base/statement.ts'
import { noteHeaderSchema, prepareHeader } from './headers.ts'

export const NOTE_TYPE = 'svc/note/v2'

/** 1 MiB per note: 704 KiB of ciphertext and its tag take 961,217 characters, and 37 wrapped keys 62,000 more. */
export const MAX_NOTE_BODY_BYTES = 1024 * 1024
export const MAX_NOTE_CIPHERTEXT_BYTES = 704 * 1024 + 16
export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024
/** Enough for the owner and every device and sheet that an identity can have. */
export const MAX_WRAPPED_KEYS = 37

const TAG_BYTES = 16
const GCM_NONCE_BYTES = 12

/** Path segments of other routes below `/api/notes/{did}/`. */
const RESERVED: readonly string[] = ['cas', 'export', 'storage']

/** A path segment that URL parsers leave unchanged. */
const segment = /* @__PURE__ */ pure(() =>
  z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,127}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ ~ -'),
)
export const noteIdSchema = /* @__PURE__ */ pure(() =>
  segment
    .refine((id) => !RESERVED.includes(id), 'must not be cas, export or storage')
    .meta({ id: 'NoteId', description: 'Chosen by the owner; use a random id unless it should be meaningful' }),
)
export const attachmentIdSchema = /* @__PURE__ */ segment.meta({
  id: 'AttachmentId',
  description: 'Chosen by the owner; identifies an attachment within a note',
})

const wrapped = /* @__PURE__ */ pure(() => ({
  kemKeyId: base64urlOf(24),
  ...hybridCiphertextShape,
}))

/** RFC 5649 adds 8 bytes to a 32-byte key. */
const kwpWrapped = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...wrapped, wrap: z.literal('aes-kwp'), wrappedB64u: base64urlOf(40) }),
)
const gcmWrapped = /* @__PURE__ */ pure(() =>
  z.strictObject({
    ...wrapped,
    wrap: z.literal('aes-gcm'),
    nonceB64u: base64urlOf(GCM_NONCE_BYTES),
    wrappedB64u: base64urlOf(32 + TAG_BYTES),
  }),
)
export const wrappedKeySchema = /* @__PURE__ */ pure(() =>
  z.discriminatedUnion('wrap', [kwpWrapped, gcmWrapped]).meta({
    id: 'WrappedKey',
    description:
      'The data key wrapped for one reader, who is identified by an ML-KEM-768 key; encrypted to it and to X25519',
  }),
)
export type WrappedKey = z.infer<typeof wrappedKeySchema>

/** Cleartext beside a ciphertext is limited to program identifiers and numbers; prose does not fit. */
const identifier = (max: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), `must be 1 to ${max} visible ASCII characters`)
const noteExtSchema = /* @__PURE__ */ pure(() =>
  z.record(identifier(64), z.union([identifier(128), z.number(), z.boolean()])),
)

export const noteStatementSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema(NOTE_TYPE, {
    did: didSchema,
    keyId: userIdSchema.meta({ description: 'SHA3-384 of the signing key, which is the root key or a device key' }),
    header: noteHeaderSchema.extend({
      noteId: noteIdSchema,
      deviceId: identifier(128),
      operation: z.enum(['create', 'update', 'attach']),
      contentType: z
        .literal('application/octet-stream')
        .meta({ description: 'Content type of the ciphertext; that of the plaintext is not disclosed' }),
      app: z.strictObject({ name: identifier(64), version: identifier(64) }),
      ext: noteExtSchema.optional().meta({ description: 'Identifiers of at most 128 characters, numbers or booleans' }),
      contentLength: z
        .int()
        .min(TAG_BYTES)
        .max(MAX_NOTE_CIPHERTEXT_BYTES)
        .meta({ description: 'Size of the ciphertext in bytes, including its tag' }),
    }),
    aadB64u: base64urlOf(HASH_BYTES).meta({ description: 'SHA3-384 over the JCS bytes of `header`' }),
    cipher: z.literal('aes-256-gcm'),
    nonceB64u: base64urlOf(GCM_NONCE_BYTES),
    cipherHash: hashSchema.meta({ description: 'SHA3-384 of the ciphertext' }),
    keyHash: hashSchema.meta({
      description:
        'SHA3-384 over `svc/note-key/v1` and the data key: every reader has the same key, and so the same text',
    }),
    wrappedKeys: z
      .array(wrappedKeySchema)
      .min(1)
      .max(MAX_WRAPPED_KEYS)
      .refine((keys) => new Set(keys.map(({ kemKeyId }) => kemKeyId)).size === keys.length, 'readers must be unique'),
    follows: hashSchema
      .nullable()
      .meta({ description: '`recordHash` of the version this one is based on; null for the first' }),
  }).meta({ id: 'NoteStatement', description: 'One version of a note' }),
)
export type NoteStatement = z.infer<typeof noteStatementSchema>

export const signedNoteSchema = /* @__PURE__ */ pure(() => signedSchema(noteStatementSchema).meta({ id: 'SignedNote' }))
export type SignedNote = z.infer<typeof signedNoteSchema>

export const noteSubmissionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: noteStatementSchema,
      signatureB64u: signatureSchema,
      ciphertextB64u: base64urlSchema(MAX_NOTE_CIPHERTEXT_BYTES),
    })
    .meta({ id: 'NoteSubmission', description: 'A version of a note with its ciphertext' }),
)
export type NoteSubmission = z.infer<typeof noteSubmissionSchema>

/** The digest the ciphertext is bound to. Recompute it before trusting a statement. */
export function noteAad(header: NoteStatement['header']): string {
  return prepareHeader(header).aadB64u
}

export type NoteFault =
  | { readonly reason: 'plaintext_rejected'; readonly members: readonly string[] }
  | { readonly reason: 'non_native_note_record' }

/** Member names under which clients commonly send text, keys and file names; lowercase, without `-` and `_`. */
const PLAINTEXT_NAMES: ReadonlySet<string> = /* @__PURE__ */ pure(
  () =>
    new Set(
      [
        'body content contents text plaintext html markdown message title subject summary description note notes tag tags',
        'label labels keyword keywords filename filetype mimetype attachmentname attachmenttype author email',
        'dek datakey key privatekey secret secretkey password passphrase',
      ].flatMap((names) => names.split(' ')),
    ),
)
/** A note nests three levels deep; anything deeper is left to the schema to reject. */
const MAX_DEPTH = 4
/** Enough to fix a client. */
const MAX_NAMED = 10
const MAX_NAME_CHARS = 64

/**
 * Checks a body before schema validation. Plaintext is checked first: a record in another format that contains some is
 * rejected for that reason, because the response must not suggest sending it again.
 */
export function noteFault(body: unknown): NoteFault | null {
  const words = plaintextMembers(body, '', 0)
  if (words.length > 0) return { reason: 'plaintext_rejected', members: named(words) }
  if (!isObject(body)) return null
  const { statement } = body
  if (!isObject(statement) || statement['type'] !== NOTE_TYPE) return { reason: 'non_native_note_record' }
  // Only member names matter here; skip decoding the long ciphertext.
  const { issues } = noteSubmissionSchema.safeParse({ ...body, ciphertextB64u: '' }).error ?? { issues: [] }
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key].join('.')) : [],
  )
  return unknown.length > 0 ? { reason: 'plaintext_rejected', members: named(unknown) } : null
}

function plaintextMembers(value: unknown, path: string, depth: number): string[] {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return []
  // Array indexes are not member names, and half a million numbers fit into a body.
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
