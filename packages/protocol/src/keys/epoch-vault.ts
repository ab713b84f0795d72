/**
 * The shared notes of an epoch (workers/docs/pages/developer/epoch-vault.md): an end-to-end encrypted notebook for the
 * members of one epoch.
 *
 * One random key for each generation encrypts the notes. A member signs the statement of a generation, which commits to
 * the key and to what each member gets; the service takes it only if it covers exactly the current members. A change of
 * the members therefore always leads to a new key.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema, bytesOf } from '../base/base64url.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, signatureSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { KEM_CIPHERTEXT_BYTES } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementSchema } from '../base/statement.ts'
import { epochNumberSchema } from './epochs.ts'

/** The statement names each member in 160 bytes, and each wrap has 1.6 kB: together 115 kB, below the body cap. */
export const MAX_VAULT_MEMBERS = 64
/** Each is 30 kB with 16 members, and 120 kB with 64: at most 31 MB. */
export const MAX_VAULT_GENERATIONS = 256
/** Padding included: some 57,000 characters of text. Its base64url is 87 kB, below the body cap. */
export const MAX_VAULT_NOTE_BYTES = 64 * 1024
export const MAX_MEMBER_NOTES = 200
export const MAX_MEMBER_NOTE_BYTES = 2 * 1024 * 1024
/** With the keys, 65 MB: a database of 10 GB holds some 150 vaults that are full. */
export const MAX_VAULT_BYTES = 32 * 1024 * 1024
/** Reports of keys by one member: each costs the others a generation. */
export const MAX_MEMBER_REPORTS = 8
/** How long a vault can be read, and its rows are kept, after its epoch has closed. */
export const VAULT_KEPT_MS = 30 * 24 * 3_600_000

export const MAX_PAGE_GENERATIONS = 8
export const MAX_PAGE_VAULT_NOTES = 32

const KEY_BYTES = 32
const TAG_BYTES = 16
const NONCE_BYTES = 12

const time = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, epoch ms` })

export const generationSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Number of the key: 1, then one more each time the members change' }),
)
export const vaultNoteIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 base64url characters')
    .meta({ description: 'Chosen at random by the author', example: 'Qk3vZ1mT8sYw5rXd0aGhJg' }),
)

/** Path ids. What names nothing is 404, so they are not validated here. */
const pathId = (description: string, example: string) => z.string().meta({ description, example })
export const vaultParamsSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ epoch: pathId('Number of the epoch', '1') }),
)
export const vaultNoteParamsSchema = /* @__PURE__ */ pure(() =>
  vaultParamsSchema.extend({
    noteId: pathId('Id of the note', 'Qk3vZ1mT8sYw5rXd0aGhJg'),
  }),
)
export const vaultKeyParamsSchema = /* @__PURE__ */ pure(() =>
  vaultParamsSchema.extend({ generation: pathId('Number of the key', '1') }),
)

export const vaultWrapSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      kemKeyId: base64urlOf(24).meta({ description: 'The ML-KEM-768 key that it is wrapped for' }),
      kemCiphertextB64u: base64urlOf(KEM_CIPHERTEXT_BYTES),
      wrappedB64u: base64urlOf(KEY_BYTES + TAG_BYTES),
    })
    .meta({ id: 'VaultWrap', description: 'The key of one generation, encrypted for one member' }),
)
export type VaultWrap = z.infer<typeof vaultWrapSchema>

const coveredSchema = /* @__PURE__ */ pure(() =>
  z
    .array(
      z.strictObject({
        did: didSchema,
        wrapHash: hashSchema.meta({ description: 'SHA3-384 over the JCS of what this member gets' }),
      }),
    )
    .min(1)
    .max(MAX_VAULT_MEMBERS)
    .refine(isSorted, 'must be sorted by `did`, each once')
    .meta({ description: 'Every current member, sorted by `did`' }),
)

export const vaultKeySchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/epoch-vault-key/v1', {
    epoch: epochNumberSchema,
    generation: generationSchema,
    previous: hashSchema
      .nullable()
      .meta({ description: 'SHA3-384 over the JCS of the statement before; null for the first' }),
    publisher: didSchema.meta({ description: 'The member who signs' }),
    keyHash: hashSchema.meta({ description: 'Commits to the key, so that no two members can be given different ones' }),
    earlierKeyB64u: base64urlOf(KEY_BYTES + TAG_BYTES)
      .nullable()
      .meta({ description: 'The key before, encrypted under this one; null if the publisher does not have it' }),
    members: coveredSchema,
  }).meta({ id: 'VaultKey', description: 'A member publishes the next key of a vault; signed by its root key' }),
)
export type VaultKey = z.infer<typeof vaultKeySchema>
export const signedVaultKeySchema = /* @__PURE__ */ pure(() =>
  signedSchema(vaultKeySchema).meta({ id: 'SignedVaultKey' }),
)
export type SignedVaultKey = z.infer<typeof signedVaultKeySchema>

export const publishVaultKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      key: signedVaultKeySchema,
      wraps: z.array(vaultWrapSchema).min(1).max(MAX_VAULT_MEMBERS),
    })
    .meta({
      id: 'PublishVaultKey',
      description: 'A statement, and what each member gets, in the order of its `members`',
    }),
)
export type PublishVaultKey = z.infer<typeof publishVaultKeySchema>

export const vaultGenerationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      key: signedVaultKeySchema,
      wrap: vaultWrapSchema.nullable().meta({ description: 'What the caller gets; null if it was not a member then' }),
      publishedAt: time('When it was published'),
      reportedBy: didSchema.nullable().meta({ description: 'The member who could not open it' }),
    })
    .meta({ id: 'VaultGeneration' }),
)
export type VaultGeneration = z.infer<typeof vaultGenerationSchema>
export const vaultGenerationsQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    before: z
      .string()
      .regex(/^[1-9][0-9]{0,8}$/, 'must be a number')
      .transform(Number)
      .optional()
      .meta({ description: '`next` of the page before; without it, from the newest' }),
  }),
)
export const vaultGenerationsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: epochNumberSchema,
      generations: z.array(vaultGenerationSchema).meta({ description: 'Newest first' }),
      next: z.int().nullable().meta({ description: '`before` for the next page; null on the last' }),
    })
    .meta({ id: 'VaultGenerations' }),
)
export type VaultGenerations = z.infer<typeof vaultGenerationsSchema>

export const vaultMembersSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: epochNumberSchema,
      closesAt: time('When it ends; from then on the vault can only be read'),
      keptUntil: time('When the vault is deleted'),
      generation: z.int().min(0).meta({ description: 'The newest key; 0 before the first' }),
      isCovered: z.boolean().meta({
        description: 'Whether the newest key is for exactly these members; if not, the next writer publishes one',
      }),
      members: z
        .array(
          z.strictObject({
            did: didSchema,
            admittedAt: time('When the operator admitted it'),
            acknowledgedAt: time('When it acknowledged the epoch'),
          }),
        )
        .meta({ description: 'Admitted by the operator, joined and acknowledged; sorted by `did`' }),
    })
    .meta({ id: 'VaultMembers' }),
)
export type VaultMembers = z.infer<typeof vaultMembersSchema>

export const vaultNoteSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/epoch-note/v1', {
    epoch: epochNumberSchema,
    generation: generationSchema,
    noteId: vaultNoteIdSchema,
    author: didSchema,
    version: z.int().min(1).meta({ description: '1, then one more with each change' }),
    nonceB64u: base64urlOf(NONCE_BYTES),
    cipherHash: hashSchema.meta({ description: 'SHA3-384 of the ciphertext' }),
  }).meta({ id: 'VaultNote', description: 'One version of a note; signed by the root key of its author' }),
)
export type VaultNote = z.infer<typeof vaultNoteSchema>
export const signedVaultNoteSchema = /* @__PURE__ */ pure(() =>
  signedSchema(vaultNoteSchema).meta({ id: 'SignedVaultNote' }),
)
export type SignedVaultNote = z.infer<typeof signedVaultNoteSchema>

const ciphertextSchema = /* @__PURE__ */ pure(() =>
  base64urlSchema(MAX_VAULT_NOTE_BYTES + TAG_BYTES).meta({
    description: 'AES-256-GCM: padded JSON and the tag',
  }),
)
export const putVaultNoteSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ statement: vaultNoteSchema, signatureB64u: signatureSchema, ciphertextB64u: ciphertextSchema })
    .meta({ id: 'PutVaultNote' }),
)
export type PutVaultNote = z.infer<typeof putVaultNoteSchema>

export const vaultNoteHeadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      note: signedVaultNoteSchema,
      bytes: z.int().meta({ description: 'Size of the ciphertext' }),
      writtenAt: time('When this version was accepted'),
    })
    .meta({ id: 'VaultNoteHead' }),
)
export type VaultNoteHead = z.infer<typeof vaultNoteHeadSchema>
export const storedVaultNoteSchema = /* @__PURE__ */ pure(() =>
  vaultNoteHeadSchema.extend({ ciphertextB64u: ciphertextSchema }).meta({ id: 'StoredVaultNote' }),
)
export type StoredVaultNote = z.infer<typeof storedVaultNoteSchema>
export const vaultNotesQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    after: vaultNoteIdSchema.optional().meta({ description: '`next` of the page before' }),
  }),
)
export const vaultNotesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: epochNumberSchema,
      notes: z.array(vaultNoteHeadSchema).meta({ description: 'In the order of their ids' }),
      next: vaultNoteIdSchema.nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'VaultNotes' }),
)
export type VaultNotes = z.infer<typeof vaultNotesSchema>

export const vaultNoteDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ noteId: vaultNoteIdSchema, deleted: z.literal(true) }).meta({ id: 'VaultNoteDeleted' }),
)
export const vaultLeftSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ epoch: epochNumberSchema, left: z.literal(true) }).meta({ id: 'VaultLeft' }),
)
export const vaultKeyReportedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ generation: generationSchema, reportedBy: didSchema }).meta({ id: 'VaultKeyReported' }),
)

/** What a statement commits to of each member's wrap. */
export function wrapHashOf(wrap: VaultWrap): string {
  return hashHex(jcsBytes(wrap))
}

/** Whether the wraps are those that the statement names, in its order. */
export function areWrapsOf({ members }: VaultKey, wraps: readonly VaultWrap[]): boolean {
  return (
    wraps.length === members.length &&
    members.every(({ did, wrapHash }, index) => {
      const wrap = wraps[index]
      return wrap?.did === did && wrapHashOf(wrap) === wrapHash
    })
  )
}

/** The commitment to a key. */
export function vaultKeyHash(key: Uint8Array): string {
  return hashHex(new Uint8Array([...new TextEncoder().encode('svc/epoch-vault-key-hash/v1'), ...key]))
}

export function cipherHashOf(ciphertextB64u: string): string {
  return hashHex(bytesOf(ciphertextB64u))
}

function isSorted(members: readonly { readonly did: string }[]): boolean {
  return members.every(({ did }, index) => index === 0 || (members[index - 1]?.did ?? '') < did)
}
