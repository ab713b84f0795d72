/**
 * AI-use preferences for opaque content identifiers (document 2 sections 2.1, 3 and 4.2): what is declared, what is
 * signed, and how it is read.
 *
 * @module
 */
import { mlDsa65 } from '@svc/pqc'
import * as z from 'zod'
import { bytesOf, encodeBase64url } from './base64url.ts'
import { projectionsSchema } from './consent-projection.ts'
import { deviceIdSchema } from './device.ts'
import { hashHex } from './hash.ts'
import { didSchema, publicKeySchema, signatureSchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'

/** Document 2 section 4.2. */
export const MAX_BATCH = 10_000
/** An act takes 5 kB, so a record at most 5 MB; who changes a declaration once a day has three years. */
export const MAX_ACTS = 1_000

/**
 * Document 2 section 2.1: exact and opaque. Characters are code points, lone surrogates are none (JCS has no form for
 * them), and U+0000 is left out because SQLite ends a JSON text at it.
 */
const IDENTIFIER = /^[^\0\p{Cs}]{16,256}$/u

export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

export const contentHashSchema = z
  .string()
  // Not `regex`: what is generated from it would carry the flag as a part of the pattern.
  .refine(isContentHash, 'must be 16 to 256 characters')
  .meta({
    id: 'ContentHash',
    pattern: String.raw`^[^\u0000\ud800-\udfff]{16,256}$`,
    description: 'The content identifier: an exact opaque string of 16 to 256 characters, compared byte by byte',
    example: `sha3-384:${'a7'.repeat(48)}`,
  })

const choice = z.enum(['allow', 'disallow'])
export const preferencesSchema = z
  .strictObject({
    ai_training: choice.optional().meta({ description: 'Written as `train-ai`' }),
    search: choice.optional().meta({ description: 'Written as `search`' }),
    generative_ai_training: choice.optional().meta({ description: 'Kept in the record, written nowhere' }),
    automated_processing: choice.optional().meta({ description: 'Kept in the record, written nowhere' }),
    conditional: z
      .union([z.boolean(), choice])
      .optional()
      .meta({ description: 'Kept in the record, written nowhere. No free text: no content gets in by it' }),
  })
  .refine((members) => Object.keys(members).length > 0, 'must declare something')
  .meta({ id: 'Preferences', minProperties: 1, description: 'What is declared; what is absent is not declared' })
export type Preferences = z.infer<typeof preferencesSchema>

const declareMessageSchema = z.strictObject({
  content_hash: contentHashSchema,
  preferences: preferencesSchema,
  creator_did: didSchema,
})
const deleteMessageSchema = z.strictObject({
  content_hash: contentHashSchema,
  action: z.literal('delete'),
  creator_did: didSchema,
})
/** What a write signs: `preferences` exactly as they are sent, never what they are merged into. */
export const consentMessageSchema = z
  .union([declareMessageSchema, deleteMessageSchema])
  .meta({ id: 'ConsentMessage', description: 'The object that a write signs' })
export type ConsentMessage = z.infer<typeof consentMessageSchema>

/** Document 2 section 4.2: the bytes that are signed are those of the base64url text of the canonical JSON. */
export function consentSignedBytes(message: ConsentMessage): Uint8Array {
  return new TextEncoder().encode(encodeBase64url(jcsBytes(message)))
}

/** Whether this key made this signature. Key and signature have passed their schemas. */
export function verifyConsent(message: ConsentMessage, publicKeyB64u: string, signatureB64u: string): Promise<boolean> {
  return mlDsa65.verify(bytesOf(publicKeyB64u), consentSignedBytes(message), bytesOf(signatureB64u))
}

/**
 * Names one signed act on a record, whose creator never changes. A signature of ML-DSA fits one message and one key, and
 * nobody else can make a second one from it, so a published signature under another spelling does not exist.
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

export const createConsentSchema = z
  .strictObject({
    content_hash: contentHashSchema,
    creator_did: didSchema,
    public_key_b64u: publicKeySchema.meta({ description: 'The key that signs' }),
    preferences: preferencesSchema,
  })
  .meta({ id: 'CreateConsent' })
export const updateConsentSchema = z
  .strictObject({
    public_key_b64u: publicKeySchema,
    preferences: preferencesSchema.meta({ description: 'What changes; the rest of the record stays' }),
  })
  .meta({ id: 'UpdateConsent' })
export const deleteConsentSchema = z.strictObject({ public_key_b64u: publicKeySchema }).meta({ id: 'DeleteConsent' })

const epoch = z.int().min(0)
export const consentSignerSchema = z
  .union([
    z.strictObject({ kind: z.literal('root'), epoch }),
    z.strictObject({ kind: z.literal('device'), device_id: deviceIdSchema, epoch }),
  ])
  .meta({ id: 'ConsentSigner', description: 'Whose key signed when it was recorded, and the root epoch of then' })
export type ConsentSigner = z.infer<typeof consentSignerSchema>

const time = z.int().min(0).meta({ description: 'Epoch milliseconds', example: 1_790_000_000_000 })
const version = z.int().min(1).meta({ description: 'Acts on the record so far, this one included' })
export const ACTIONS = ['create', 'update', 'delete'] as const
const signedMembers = {
  action: z.enum(ACTIONS),
  preferences: preferencesSchema.nullable().meta({ description: 'As they were signed; null for a deletion' }),
  signature_b64u: signatureSchema,
  signer: consentSignerSchema,
}

export const consentActSchema = z
  .strictObject({ version, ...signedMembers, public_key_b64u: publicKeySchema, recorded_at: time })
  .meta({ id: 'ConsentAct', description: 'One signed act on a record' })
export type ConsentAct = z.infer<typeof consentActSchema>

const declared = z.literal('declared').meta({ description: 'Somebody has declared this' })
const byDefault = z.literal('default').meta({ description: 'Nobody has; the policy of the service is opt-out' })

/** A record as it is read. */
export const consentRecordSchema = z
  .strictObject({
    found: z.literal(true),
    hash: contentHashSchema,
    source: declared,
    content_hash: contentHashSchema,
    creator_did: didSchema.nullable().meta({ description: 'Null on an ownerless record, which nobody can change' }),
    public_key_b64u: publicKeySchema.nullable().meta({ description: 'The key of the newest act' }),
    preferences: preferencesSchema.meta({ description: 'What all acts together declare' }),
    version: z.int().min(0),
    created_at: time,
    updated_at: time,
    signed: z
      .strictObject(signedMembers)
      .nullable()
      .meta({ description: 'The newest act; the others are in the history. Null on an ownerless record' }),
    projections: projectionsSchema,
  })
  .meta({ id: 'ConsentRecord' })
export type ConsentRecord = z.infer<typeof consentRecordSchema>

/** Document 2 section 2.1, and what holds then. */
export const consentMissSchema = z
  .strictObject({ found: z.literal(false), hash: contentHashSchema, source: byDefault, message: z.string() })
  .meta({ id: 'ConsentMiss', description: 'There is no record: opt-out by policy, which nobody has declared' })
export type ConsentMiss = z.infer<typeof consentMissSchema>
const MISS_MESSAGE = 'No preference is declared for this identifier; the policy of this service is opt-out'
export const missOf = (hash: string): ConsentMiss => ({
  found: false,
  hash,
  source: 'default',
  message: MISS_MESSAGE,
})

export const revokedConsentSchema = z
  .strictObject({
    content_hash: contentHashSchema,
    creator_did: didSchema,
    revoked: z.literal(true),
    version,
    revoked_at: time,
  })
  .meta({ id: 'RevokedConsent' })
export type RevokedConsent = z.infer<typeof revokedConsentSchema>

/** A record among many: what is declared and by whom, without what proves it. */
export const consentSummarySchema = z
  .strictObject({
    found: z.literal(true),
    hash: contentHashSchema,
    source: declared,
    creator_did: didSchema.nullable(),
    preferences: preferencesSchema,
    usage: z.string().meta({ description: 'As `X-Svc-Consent` of the record', example: 'train-ai=n, search=y' }),
    version: z.int().min(0),
    updated_at: time,
  })
  .meta({ id: 'ConsentSummary' })
export type ConsentSummary = z.infer<typeof consentSummarySchema>

export const consentBatchSchema = z
  .strictObject({
    hashes: z
      .array(z.unknown())
      .meta({ description: 'At most 10,000 identifiers; one that is malformed spoils no other', maxItems: MAX_BATCH }),
  })
  .meta({ id: 'ConsentBatch' })
export const batchResultSchema = z
  .union([
    consentSummarySchema,
    z.strictObject({ found: z.literal(false), hash: contentHashSchema, source: byDefault }).meta({ id: 'BatchMiss' }),
    z
      .strictObject({ found: z.literal(false), hash: z.null(), error: z.literal('invalid_identifier') })
      .meta({ id: 'BatchMalformed', description: 'What stands in this place is no identifier' }),
  ])
  .meta({ id: 'BatchResult' })
export type BatchResult = z.infer<typeof batchResultSchema>
export const consentBatchAnswerSchema = z
  .strictObject({ results: z.array(batchResultSchema).meta({ description: 'In the order of the request' }) })
  .meta({ id: 'ConsentBatchAnswer' })

/** A page size beyond the bounds is clamped; what is no number is refused. */
const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number)
const limitOf = (most: number, usual: number) =>
  wholeNumber.optional().meta({ description: `${usual}, clamped to 1-${most}` })

export const MAX_CREATOR_PAGE = 500
export const CREATOR_PAGE = 100
export const creatorQuerySchema = z.strictObject({
  limit: limitOf(MAX_CREATOR_PAGE, CREATOR_PAGE),
  cursor: contentHashSchema.optional().meta({ description: '`next` of the page before' }),
})
export const creatorPageSchema = z
  .strictObject({
    creator_did: didSchema,
    items: z.array(consentSummarySchema),
    next: contentHashSchema.nullable().meta({ description: 'Null on the last page' }),
  })
  .meta({ id: 'CreatorPage', description: 'Records of one creator, in the order of their identifiers' })
export type CreatorPage = z.infer<typeof creatorPageSchema>

export const partnerQuerySchema = z.strictObject({ hash: contentHashSchema })
export const optOutSchema = z
  .strictObject({
    hash: contentHashSchema,
    opt_out: z.boolean().meta({ description: 'Whether the content is to be kept out of AI training' }),
    found: z.boolean(),
    source: z.enum(['declared', 'default']).meta({ description: 'Whether somebody has declared that' }),
    usage: z.string(),
  })
  .meta({ id: 'OptOut' })
export type OptOut = z.infer<typeof optOutSchema>

export const MAX_HISTORY_PAGE = 50
export const historyQuerySchema = z.strictObject({
  at: wholeNumber.optional().meta({ description: 'As it was then, epoch milliseconds; now unless given' }),
  limit: limitOf(MAX_HISTORY_PAGE, MAX_HISTORY_PAGE),
  after: wholeNumber.optional().meta({ description: '`next` of the page before' }),
})
export const consentHistorySchema = z
  .strictObject({
    hash: contentHashSchema,
    creator_did: didSchema.nullable(),
    at: time,
    state: z
      .strictObject({
        preferences: preferencesSchema.nullable(),
        version: z.int().min(0),
        source: z.enum(['declared', 'default']),
      })
      .meta({ description: 'What was declared at that time; null when nothing was' }),
    entries: z.array(consentActSchema).meta({ description: 'By version' }),
    next: z.int().nullable().meta({ description: 'The last version of this page when more follow' }),
  })
  .meta({ id: 'ConsentHistory' })
export type ConsentHistory = z.infer<typeof consentHistorySchema>
