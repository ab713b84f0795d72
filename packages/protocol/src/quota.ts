/** Metered use (document 2 sections 2.2, 3 and 4.6): what moves a meter, and the receipt that says so. */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import { didSchema, publicKeySchema, signatureSchema } from './identity.ts'
import { statementSchema, verifyStatement } from './statement.ts'
import { quotaKindSchema, tierSchema } from './tiers.ts'

/** Refuses a slip of the hand, not a use: a larger batch takes several keys. */
export const MAX_AMOUNT = 1_000
/** A reservation is held for a day at most: whoever has not finished by then begins again. */
export const MAX_RESERVATION_SECONDS = 86_400

export const quotaKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9._~:-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ : -')
  .meta({ description: 'The caller’s name for one use: the same key again is the same use', example: 'search-1' })
const amount = z.int().min(1).max(MAX_AMOUNT)
const units = z.int().min(0)
export const periodSchema = z
  .string()
  .regex(/^[0-9]{4}-(?:0[1-9]|1[0-2])$/)
  .meta({ description: 'A calendar month, UTC', example: '2026-11' })

export const consumeSchema = z
  .strictObject({ kind: quotaKindSchema, amount: amount.default(1), key: quotaKeySchema })
  .meta({ id: 'Consume' })
export const refundSchema = z
  .strictObject({ key: quotaKeySchema.meta({ description: 'The key of the consumption' }) })
  .meta({ id: 'Refund', description: 'Takes one consumption back whole' })
export const deltaSchema = z
  .strictObject({
    kind: quotaKindSchema,
    delta: z.int().min(-MAX_AMOUNT).max(-1).meta({ description: 'How many units of that consumption are taken back' }),
    key: quotaKeySchema.meta({ description: 'The key of the consumption' }),
  })
  .meta({ id: 'Delta', description: 'Takes a part of one consumption back; what adds to a meter is a consumption' })

export const meterSchema = z
  .strictObject({
    kind: quotaKindSchema,
    used: units,
    reserved: units.meta({ description: 'Held for what is under way; counts against the limit' }),
    limit: units,
    period: periodSchema,
    tier: tierSchema,
  })
  .meta({ id: 'Meter' })
export const metersSchema = z.strictObject({ meters: z.array(meterSchema) }).meta({ id: 'Meters' })
export type Meter = z.infer<typeof meterSchema>

export const receiptStatementSchema = statementSchema('svc/quota-receipt/v1', {
  did: didSchema,
  operation: z.enum(['consume', 'refund', 'delta']),
  key: quotaKeySchema,
  kind: quotaKindSchema,
  amount: amount.meta({ description: 'Units that were taken, or given back' }),
  used: units.meta({ description: 'The meter of `period` thereafter' }),
  limit: units,
  tier: tierSchema,
  period: periodSchema.meta({ description: 'The month that the consumption counts in' }),
}).meta({ id: 'QuotaReceiptStatement' })

export const quotaReceiptSchema = z
  .strictObject({ statement: receiptStatementSchema, signatureB64u: signatureSchema, publicKeyB64u: publicKeySchema })
  .meta({ id: 'QuotaReceipt', description: 'The service’s signed word for what was counted; good to keep' })
export type QuotaReceipt = z.infer<typeof quotaReceiptSchema>
export type QuotaReceiptStatement = z.infer<typeof receiptStatementSchema>

/** Whether a receipt was signed by the service’s key as the caller knows it. */
export async function verifyQuotaReceipt(receipt: QuotaReceipt, expectedKeyB64u: string): Promise<boolean> {
  const { publicKeyB64u, ...signed } = receipt
  return publicKeyB64u === expectedKeyB64u && verifyStatement(signed, bytesOf(expectedKeyB64u))
}

export const payBannerSchema = z
  .strictObject({
    service: z.literal('pay'),
    version: z.string(),
    receiptKeyB64u: publicKeySchema.nullable().meta({ description: 'Signs quota receipts; null where nothing does' }),
  })
  .meta({ id: 'PayBanner' })

/** The wire of pay’s internal routes: a use that may yet fail is reserved, then finalized or released. */
const internalKey = z
  .string()
  .regex(/^[!-~]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
  .meta({ description: 'Names the use, such as the id of what is registered' })
export const reserveSchema = z
  .strictObject({
    did: didSchema,
    kind: quotaKindSchema,
    amount: amount.default(1),
    key: internalKey,
    ttlSeconds: z.int().min(1).max(MAX_RESERVATION_SECONDS),
  })
  .meta({ id: 'Reserve' })
export const reservationNameSchema = z
  .strictObject({ did: didSchema, key: internalKey })
  .meta({ id: 'ReservationName' })
export const reservationSchema = z
  .strictObject({
    state: z.enum(['reserved', 'finalized', 'released', 'expired']),
    kind: quotaKindSchema,
    amount,
    expiresAt: z.int(),
  })
  .meta({ id: 'Reservation' })
export const reserveAnswerSchema = z
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
      .meta({ id: 'Exhausted', description: 'Nothing is held; what a 402 says' }),
  ])
  .meta({ id: 'ReserveAnswer' })
export type Reservation = z.infer<typeof reservationSchema>
