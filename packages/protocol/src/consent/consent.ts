/**
 * AI-use preferences for opaque content identifiers (workers/docs/pages/developer/consent.md): what is declared, what is
 * signed, and how it is read.
 *
 * @module
 */
import * as z from 'zod'
import { mlDsa65 } from '#pqc'
import { bytesOf, encodeBase64url } from '../base/base64url.ts'
import { deviceIdSchema } from '../base/device.ts'
import { hashHex } from '../base/hash.ts'
import { didSchema, publicKeySchema, signatureSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { contentHashSchema, isContentHash } from './identifiers.ts'
import { projectionsSchema } from './projection.ts'

/** Identifiers per batch lookup. */
export const MAX_BATCH = 10_000
/** Ten thousand of the longest identifiers, in two-byte characters. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024
/** An act is 5 kB, so a record is at most 5 MB; with one change a day the limit lasts almost three years. */
export const MAX_ACTS = 1_000

const choice = /* @__PURE__ */ z.enum(['allow', 'disallow'])
export const preferencesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ai_training: choice.optional().meta({ description: 'Published as `train-ai`' }),
      search: choice.optional().meta({ description: 'Published as `search`' }),
      generative_ai_training: choice.optional().meta({ description: 'Stored in the record, not published elsewhere' }),
      automated_processing: choice.optional().meta({ description: 'Stored in the record, not published elsewhere' }),
      conditional: z.union([z.boolean(), choice]).optional().meta({
        description: 'Stored in the record, not published elsewhere. No free text, so it cannot carry content',
      }),
    })
    .refine((members) => Object.keys(members).length > 0, 'must declare at least one preference')
    .meta({
      id: 'Preferences',
      minProperties: 1,
      description: 'Declared preferences; an absent member is not declared',
    }),
)
export type Preferences = z.infer<typeof preferencesSchema>

const declareMessageSchema = /* @__PURE__ */ z.strictObject({
  content_hash: contentHashSchema,
  preferences: preferencesSchema,
  creator_did: didSchema,
})
const deleteMessageSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    content_hash: contentHashSchema,
    action: z.literal('delete'),
    creator_did: didSchema,
  }),
)
/** The message a write signs. `preferences` are exactly as sent, not the merged result. */
export const consentMessageSchema = /* @__PURE__ */ pure(() =>
  z
    .union([declareMessageSchema, deleteMessageSchema])
    .meta({ id: 'ConsentMessage', description: 'The object a write signs' }),
)
export type ConsentMessage = z.infer<typeof consentMessageSchema>

/** The signed bytes: the base64url text of the canonical JSON, in ASCII. */
export function consentSignedBytes(message: ConsentMessage): Uint8Array {
  return new TextEncoder().encode(encodeBase64url(jcsBytes(message)))
}

/** Whether this key made this signature. Key and signature must have passed their schemas. */
export function verifyConsent(message: ConsentMessage, publicKeyB64u: string, signatureB64u: string): Promise<boolean> {
  return mlDsa65.verify(bytesOf(publicKeyB64u), consentSignedBytes(message), bytesOf(signatureB64u))
}

/**
 * Identifies one signed act on a record. An ML-DSA signature is valid for one message, which names the creator, and one
 * key, and a third party cannot derive a second valid signature from it, so a published act has only one hash.
 */
export function consentActHash(act: {
  readonly hash: string
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
}): string {
  const { hash, preferences, publicKeyB64u, signatureB64u } = act
  return hashHex(jcsBytes({ hash, preferences, publicKeyB64u, signatureB64u }))
}

export const createConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      content_hash: contentHashSchema,
      creator_did: didSchema,
      public_key_b64u: publicKeySchema.meta({ description: 'The signing key' }),
      preferences: preferencesSchema,
    })
    .meta({ id: 'CreateConsent' }),
)
export const updateConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      public_key_b64u: publicKeySchema,
      preferences: preferencesSchema.meta({ description: 'Preferences to change; all others keep their value' }),
    })
    .meta({ id: 'UpdateConsent' }),
)
export const deleteConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      public_key_b64u: publicKeySchema,
      creator_did: didSchema.optional().meta({
        description: 'Withdraws the competing claim of this creator and leaves the record as it is',
      }),
    })
    .meta({ id: 'DeleteConsent' }),
)

const epoch = /* @__PURE__ */ pure(() => z.int().min(0))
export const consentSignerSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      z.strictObject({ kind: z.literal('root'), epoch }),
      z.strictObject({ kind: z.literal('device'), device_id: deviceIdSchema, epoch }),
    ])
    .meta({ id: 'ConsentSigner', description: 'Owner of the signing key and root epoch at the time of recording' }),
)
export type ConsentSigner = z.infer<typeof consentSignerSchema>

export const timeSchema = /* @__PURE__ */ pure(() =>
  z.int().min(0).meta({ description: 'Epoch milliseconds', example: 1_790_000_000_000 }),
)
const version = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Number of acts on the record, including this one' }),
)
export const ACTIONS = ['create', 'update', 'delete'] as const
const signedMembers = /* @__PURE__ */ pure(() => ({
  action: z.enum(ACTIONS),
  preferences: preferencesSchema.nullable().meta({ description: 'Preferences as signed; null for a deletion' }),
  signature_b64u: signatureSchema,
  signer: consentSignerSchema,
}))

export const consentActSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ version, ...signedMembers, public_key_b64u: publicKeySchema, recorded_at: timeSchema })
    .meta({ id: 'ConsentAct', description: 'One signed act on a record' }),
)
export type ConsentAct = z.infer<typeof consentActSchema>

const declared = /* @__PURE__ */ pure(() => z.literal('declared').meta({ description: 'Declared by a creator' }))
const byDefault = /* @__PURE__ */ pure(() =>
  z.literal('default').meta({ description: 'Not declared; the default policy of the service is opt-out' }),
)

/** A record as returned by reads. */
export const consentRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      found: z.literal(true),
      hash: contentHashSchema,
      source: declared,
      content_hash: contentHashSchema,
      creator_did: didSchema.nullable().meta({ description: 'Null for an ownerless record, which cannot be changed' }),
      public_key_b64u: publicKeySchema.nullable().meta({ description: 'The key of the newest act' }),
      preferences: preferencesSchema.meta({ description: 'Declared preferences, merged from all acts' }),
      version: z.int().min(0),
      created_at: timeSchema,
      updated_at: timeSchema,
      signed: z
        .strictObject(signedMembers)
        .nullable()
        .meta({ description: 'The newest act; see the history for earlier ones. Null for an ownerless record' }),
      projections: projectionsSchema,
    })
    .meta({ id: 'ConsentRecord' }),
)
export type ConsentRecord = z.infer<typeof consentRecordSchema>

/** No record exists; states the default that applies. */
export const consentMissSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ found: z.literal(false), hash: contentHashSchema, source: byDefault, message: z.string() }).meta({
    id: 'ConsentMiss',
    description: 'No record exists. The default policy is opt-out; it is not a declaration',
  }),
)
export type ConsentMiss = z.infer<typeof consentMissSchema>
const MISS_MESSAGE = 'No preference is declared for this identifier; the default policy of this service is opt-out'
export const missOf = (hash: string): ConsentMiss => ({
  found: false,
  hash,
  source: 'default',
  message: MISS_MESSAGE,
})

export const revokedConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      content_hash: contentHashSchema,
      creator_did: didSchema,
      revoked: z.literal(true),
      version,
      revoked_at: timeSchema,
    })
    .meta({ id: 'RevokedConsent' }),
)
export type RevokedConsent = z.infer<typeof revokedConsentSchema>

/** A record in a list: what is declared and by whom, without the proof. */
export const consentSummarySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      found: z.literal(true),
      hash: contentHashSchema,
      source: declared,
      creator_did: didSchema.nullable(),
      preferences: preferencesSchema,
      usage: z.string().meta({ description: 'Value of `X-Svc-Consent`', example: 'train-ai=n, search=y' }),
      version: z.int().min(0),
      updated_at: timeSchema,
    })
    .meta({ id: 'ConsentSummary' }),
)
export type ConsentSummary = z.infer<typeof consentSummarySchema>

export const consentBatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hashes: z.array(contentHashSchema).meta({ description: 'At most 10,000 identifiers', maxItems: MAX_BATCH }),
    })
    .meta({ id: 'ConsentBatch' }),
)

/** Positions that a refusal names. */
const MAX_NAMED = 20

/** Why identifiers cannot be looked up: the positions of malformed ones, the first 20 by number. Null if they can. */
export function malformedHashes(hashes: readonly unknown[]): string | null {
  const positions: number[] = []
  for (const [i, hash] of hashes.entries()) if (!isContentHash(hash)) positions.push(i)
  if (positions.length === 0) return null
  const named = positions.slice(0, MAX_NAMED).join(', ')
  const rest = positions.length > MAX_NAMED ? ` and ${positions.length - MAX_NAMED} more` : ''
  return `hashes: must be strings of 16 to 256 characters; malformed at ${named}${rest} (counted from 0)`
}

export const batchResultSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      consentSummarySchema,
      z.strictObject({ found: z.literal(false), hash: contentHashSchema, source: byDefault }).meta({ id: 'BatchMiss' }),
    ])
    .meta({ id: 'BatchResult' }),
)
export type BatchResult = z.infer<typeof batchResultSchema>
export const consentBatchAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ results: z.array(batchResultSchema).meta({ description: 'Positional, one result per input' }) })
    .meta({ id: 'ConsentBatchAnswer' }),
)
