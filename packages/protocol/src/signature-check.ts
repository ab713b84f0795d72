/**
 * Verifying signatures at provenance (document 2 section 2.2): one, many, or one with the standing of its key.
 *
 * The nonce is chosen by the caller and is not signed: it lets an application spend a verification once, and says
 * nothing about when the signature was made. It is remembered with the key that verified, for `NONCE_LIFETIME_MS` at
 * least and twice that at most.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlSchema } from './base64url.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from './identity.ts'
import { SIGNATURE_ALG } from './labels.ts'

/** The JSON body is capped at 256 KiB; less 8 KiB of key, signature and nonce, base64url leaves 180 KiB of bytes. */
export const MAX_VERIFIED_MESSAGE_BYTES = 180 * 1024
export const MAX_BATCH_ITEMS = 100
/** A hundred items of 7.4 kB take 740 kB; what is left is 13 kB of message for each. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024
/**
 * Longer than a client tries again. Whoever fills the memory of nonces has a valid signature and is metered: an address
 * adds at most a hundred batches of a hundred in a minute, 200,000 in twice this time.
 */
export const NONCE_LIFETIME_MS = 600_000

export const verifyNonceSchema = z
  .string()
  .regex(/^[!-~]{1,256}$/, 'must be 1 to 256 visible ASCII characters')
  .meta({ description: 'Chosen by the caller, single use with this key', example: 'f3b0c442-98fc-4c14-9afb' })

export const checkRequestSchema = z
  .strictObject({
    publicKeyB64u: publicKeySchema,
    messageB64u: base64urlSchema(MAX_VERIFIED_MESSAGE_BYTES).meta({ description: 'The signed bytes' }),
    signatureB64u: signatureSchema,
    nonce: verifyNonceSchema,
    algorithm: z.literal(SIGNATURE_ALG),
  })
  .meta({ id: 'CheckRequest', description: 'One signature to verify; pure ML-DSA-65 with an empty context' })
export type CheckRequest = z.infer<typeof checkRequestSchema>

const checked = {
  valid: z.literal(true),
  keySource: z.literal('request').meta({ description: 'Where the key came from: the request, so it may be anybody’s' }),
  nonceStatus: z.literal('consumed').meta({ description: 'The nonce was new with this key and is spent now' }),
  timingUs: z.int().min(0).meta({
    description:
      'Microseconds of verification by the runtime’s clock, which many runtimes hold still within a request: then 0',
  }),
}
export const checkedSchema = z.strictObject(checked).meta({ id: 'Checked' })
export type Checked = z.infer<typeof checkedSchema>

/** Items are looked at one by one, so that a malformed one spoils no other. */
export const checkBatchSchema = z
  .strictObject({ items: z.array(z.unknown()).min(1).max(MAX_BATCH_ITEMS) })
  .meta({ id: 'CheckBatch', description: 'Each item is a CheckRequest; each gets its own answer' })

export const batchItemErrors = [
  'invalid_request',
  'verification_failed',
  'nonce_replay',
  'dependency_unavailable',
] as const
export const batchItemSchema = z
  .union([
    z.strictObject({ index: z.int().min(0), ...checked }),
    z.strictObject({
      index: z.int().min(0),
      valid: z.literal(false),
      error: z.enum(batchItemErrors),
      message: z.string(),
    }),
  ])
  .meta({ id: 'CheckedItem' })
export type BatchItem = z.infer<typeof batchItemSchema>
export const checkedBatchSchema = z
  .strictObject({
    items: z.array(batchItemSchema).meta({ description: 'In the order of the request' }),
    valid: z.int().min(0),
    invalid: z.int().min(0),
  })
  .meta({ id: 'CheckedBatch' })
export type CheckedBatch = z.infer<typeof checkedBatchSchema>

export const KEY_STATES = ['current', 'superseded', 'revoked', 'unknown'] as const
export const keyStatusSchema = z
  .strictObject({
    state: z.enum(KEY_STATES).meta({
      description:
        '`current`: core lets it sign now. `superseded`: a later root key followed it, or the one that attested the ' +
        'device. `revoked`: the identity was ended, or the device was revoked, is suspended or has expired. ' +
        '`unknown`: core knows no such key, or takes no device keys',
    }),
    kind: z.enum(['root', 'device']).nullable().meta({ description: 'null for an unknown key' }),
    did: didSchema.nullable().meta({ description: 'Whom it speaks for; null unless it is current' }),
    scope: scopeSchema.nullable(),
    epoch: z.int().min(0).nullable().meta({ description: 'The current root epoch of that identity' }),
  })
  .meta({ id: 'KeyStatus', description: 'How the key stands at core at the time of the answer' })
export type KeyStatus = z.infer<typeof keyStatusSchema>
export const checkedWithStatusSchema = z
  .strictObject({ ...checked, keyStatus: keyStatusSchema })
  .meta({ id: 'CheckedWithStatus' })
export type CheckedWithStatus = z.infer<typeof checkedWithStatusSchema>
