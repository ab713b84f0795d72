/** Metered use (workers/docs/pages/developer/pay.md): operations that change a meter, and their signed receipts. */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { didSchema, publicKeySchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { statementSchema, verifyStatement } from '../base/statement.ts'
import { storedAmountsSchema } from '../internal/storage.ts'
import { quotaKindSchema, tierSchema } from './tiers.ts'

/** The form alone: what a tier has left decides. Sums of amounts and meters stay exact, since they are below 2^53. */
export const MAX_AMOUNT = 2_147_483_647
/** A reservation is held for at most a day; an operation that takes longer must start over. */
export const MAX_RESERVATION_SECONDS = 86_400

export const quotaKeySchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9._~:-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ : -')
    .meta({ description: 'Idempotency key of one use, chosen by the caller', example: 'search-1' }),
)
const amount = /* @__PURE__ */ pure(() => z.int().min(1).max(MAX_AMOUNT))
const units = /* @__PURE__ */ pure(() => z.int().min(0))
export const periodSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9]{4}-(?:0[1-9]|1[0-2])$/)
    .meta({ description: 'Calendar month, UTC', example: '2026-11' }),
)

export const consumeSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ kind: quotaKindSchema, amount: amount.default(1), key: quotaKeySchema }).meta({ id: 'Consume' }),
)
export const refundSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ key: quotaKeySchema.meta({ description: 'The key of the consumption' }) })
    .meta({ id: 'Refund', description: 'Reverses one consumption in full' }),
)
export const deltaSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: quotaKindSchema,
      delta: z.int().min(-MAX_AMOUNT).max(-1).meta({ description: 'Units to give back, as a negative number' }),
      key: quotaKeySchema.meta({ description: 'The key of the consumption' }),
    })
    .meta({ id: 'Delta', description: 'Reverses part of one consumption. To add units, consume them' }),
)

export const meterSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: quotaKindSchema,
      used: units,
      reserved: units.meta({ description: 'Reserved for operations in progress; counts against the limit' }),
      limit: units,
      period: periodSchema,
      tier: tierSchema,
    })
    .meta({ id: 'Meter' }),
)
export const metersSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      meters: z.array(meterSchema),
      stored: storedAmountsSchema
        .nullable()
        .meta({ description: 'What the identity keeps at core; null if core does not answer' }),
    })
    .meta({ id: 'Meters' }),
)
export type Meters = z.infer<typeof metersSchema>
export type Meter = z.infer<typeof meterSchema>

export const receiptStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/quota-receipt/v1', {
    did: didSchema,
    operation: z.enum(['consume', 'refund', 'delta']),
    key: quotaKeySchema,
    kind: quotaKindSchema,
    amount: amount.meta({ description: 'Units consumed or given back' }),
    used: units.meta({ description: 'Units used in `period` after the operation' }),
    limit: units,
    tier: tierSchema,
    period: periodSchema.meta({ description: 'The month the consumption counts towards' }),
  }).meta({ id: 'QuotaReceiptStatement' }),
)

export const quotaReceiptSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ statement: receiptStatementSchema, signatureB64u: signatureSchema, publicKeyB64u: publicKeySchema })
    .meta({ id: 'QuotaReceipt', description: 'The service’s signed record of what was counted; keep it as proof' }),
)
export type QuotaReceipt = z.infer<typeof quotaReceiptSchema>
export type QuotaReceiptStatement = z.infer<typeof receiptStatementSchema>

/** Whether a receipt was signed by the service's key, which the caller must know independently. */
export async function verifyQuotaReceipt(
  receipt: QuotaReceipt,
  expectedKeyB64u: string,
  expectedRealms: Realms,
): Promise<boolean> {
  const { publicKeyB64u, ...signed } = receipt
  return publicKeyB64u === expectedKeyB64u && verifyStatement(signed, bytesOf(expectedKeyB64u), expectedRealms)
}

export const payBannerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.literal('pay'),
      version: z.string(),
      receiptKeyB64u: publicKeySchema
        .nullable()
        .meta({ description: 'Verifies quota receipts; null if they are not signed' }),
    })
    .meta({ id: 'PayBanner' }),
)

/** Internal routes of pay: a use that can still fail is reserved, then finalized or released. */
const internalKey = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,5}\.[A-Za-z0-9_-]{43}$/, 'must be the version of a seed and a keyed hash')
    .meta({
      description: 'Idempotency key of the use: the version of a seed, a dot, and a keyed hash that names nothing',
      example: '1.WPcdXcGuKSJnLiHF3Ej2kbLMi13m4JTISHgjHb7d5Yk',
    }),
)
/** Versions of a seed that are kept besides the newest. */
const MAX_EARLIER_KEYS = 16
const earlierKeys = /* @__PURE__ */ pure(() =>
  z
    .array(internalKey)
    .max(MAX_EARLIER_KEYS)
    .default([])
    .meta({ description: 'The same use under the versions of the seed before: what stands under one of them counts' }),
)
export const reserveSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      kind: z.literal('capsule').meta({ description: 'The other meters are moved by the quota routes alone' }),
      amount: amount.default(1),
      key: internalKey,
      earlierKeys,
      ttlSeconds: z.int().min(1).max(MAX_RESERVATION_SECONDS),
    })
    .meta({ id: 'Reserve' }),
)
export const reservationNameSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ did: didSchema, key: internalKey, earlierKeys }).meta({ id: 'ReservationName' }),
)
export const reservationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      state: z.enum(['reserved', 'finalized', 'released', 'expired']),
      kind: quotaKindSchema,
      amount,
      expiresAt: z.int(),
    })
    .meta({ id: 'Reservation' }),
)
export const reserveAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      reservationSchema,
      z
        .strictObject({
          state: z.literal('exhausted'),
          kind: quotaKindSchema,
          used: units,
          limit: units,
          tier: tierSchema,
        })
        .meta({ id: 'Exhausted', description: 'Nothing is reserved; contains the details of the 402 response' }),
    ])
    .meta({ id: 'ReserveAnswer' }),
)
export type Reservation = z.infer<typeof reservationSchema>
