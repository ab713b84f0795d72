/**
 * Signature verification at provenance (workers/docs/pages/developer/provenance.md): a single signature, a batch, or one
 * with the status of its key.
 *
 * The nonce is chosen by the caller and is not signed. It lets an application use a verification once, and says nothing
 * about when the signature was made. It is stored with the verified key for at least `NONCE_LIFETIME_MS` and at most
 * twice that.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlSchema } from '../base/base64url.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from '../base/identity.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'

/** The 256 KiB body cap minus 8 KiB for key, signature and nonce leaves 180 KiB of bytes in base64url. */
export const MAX_VERIFIED_MESSAGE_BYTES = 180 * 1024
export const MAX_BATCH_ITEMS = 100
/** A hundred items of 7.4 kB are 740 kB, which leaves 13 kB of message per item. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024
/**
 * Longer than clients retry. Filling the nonce store takes valid signatures and is rate-limited: one address can add at
 * most a hundred batches of a hundred per minute, or 200,000 nonces in twice this time.
 */
export const NONCE_LIFETIME_MS = 600_000

export const verifyNonceSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[!-~]{1,256}$/, 'must be 1 to 256 visible ASCII characters')
    .meta({ description: 'Chosen by the caller; single-use per key', example: 'f3b0c442-98fc-4c14-9afb' }),
)

export const checkRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      publicKeyB64u: publicKeySchema,
      messageB64u: base64urlSchema(MAX_VERIFIED_MESSAGE_BYTES).meta({ description: 'The signed message' }),
      signatureB64u: signatureSchema,
      nonce: verifyNonceSchema,
      algorithm: z.literal(SIGNATURE_ALG),
    })
    .meta({ id: 'CheckRequest', description: 'One signature to verify; pure ML-DSA-65 with an empty context' }),
)
export type CheckRequest = z.infer<typeof checkRequestSchema>

const checked = /* @__PURE__ */ pure(() => ({
  valid: z.literal(true),
  keySource: z
    .literal('request')
    .meta({ description: 'The key came from the request; its owner has not been verified' }),
  nonceStatus: z.literal('consumed').meta({ description: 'The nonce was unused with this key and is now consumed' }),
  timingUs: z.int().min(0).meta({
    description:
      'Verification time in microseconds by the runtime’s clock; 0 if the runtime freezes its clock during a request',
  }),
}))
export const checkedSchema = /* @__PURE__ */ pure(() => z.strictObject(checked).meta({ id: 'Checked' }))
export type Checked = z.infer<typeof checkedSchema>

/** Items are validated individually, so that a malformed item does not affect the others. */
export const checkBatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ items: z.array(z.unknown()).min(1).max(MAX_BATCH_ITEMS) })
    .meta({ id: 'CheckBatch', description: 'Each item is a CheckRequest and gets its own result' }),
)

export const batchItemErrors = [
  'invalid_request',
  'verification_failed',
  'nonce_replay',
  'dependency_unavailable',
] as const
export const batchItemSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      z.strictObject({ index: z.int().min(0), ...checked }),
      z.strictObject({
        index: z.int().min(0),
        valid: z.literal(false),
        error: z.enum(batchItemErrors),
        message: z.string(),
      }),
    ])
    .meta({ id: 'CheckedItem' }),
)
export type BatchItem = z.infer<typeof batchItemSchema>
export const checkedBatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      items: z.array(batchItemSchema).meta({ description: 'Positional: one result per item of the request' }),
      valid: z.int().min(0),
      invalid: z.int().min(0),
    })
    .meta({ id: 'CheckedBatch' }),
)
export type CheckedBatch = z.infer<typeof checkedBatchSchema>

export const KEY_STATES = ['current', 'superseded', 'revoked', 'unknown'] as const
export const keyStatusSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      state: z.enum(KEY_STATES).meta({
        description:
          '`current`: core accepts its signatures. `superseded`: a newer root key replaced it or, for a device, the key ' +
          'that attested it. `revoked`: the identity was deactivated, or the device was revoked, is suspended or has ' +
          'expired. `unknown`: core does not know the key, or does not accept device keys',
      }),
      kind: z.enum(['root', 'device']).nullable().meta({ description: 'Null for an unknown key' }),
      did: didSchema.nullable().meta({ description: 'The identity it acts for; null unless current' }),
      scope: scopeSchema.nullable(),
      epoch: z.int().min(0).nullable().meta({ description: 'The current root epoch of that identity' }),
    })
    .meta({ id: 'KeyStatus', description: 'Status of the key at core at the time of the response' }),
)
export type KeyStatus = z.infer<typeof keyStatusSchema>
export const checkedWithStatusSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ ...checked, keyStatus: keyStatusSchema }).meta({ id: 'CheckedWithStatus' }),
)
export type CheckedWithStatus = z.infer<typeof checkedWithStatusSchema>
