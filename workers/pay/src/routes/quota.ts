import { consumeSchema, deltaSchema, metersSchema, quotaReceiptSchema, refundSchema } from '@svc/protocol/quota'
import { ApiError, defineOperation } from '@svc/service'
import type { ConsumeRefusal } from '../quota/quota-session.ts'
import { payRoute } from '../route.ts'

const receipt = { status: 200, description: 'A signed receipt', schema: quotaReceiptSchema } as const
const REVERSE_ERRORS = [
  'not_found',
  'meter_internal',
  'idempotency_conflict',
  'quota_reversed',
  'receipts_unavailable',
] as const

export const readQuota = defineOperation({
  id: 'readQuota',
  method: 'get',
  path: '/quota',
  summary: 'Every meter of the caller in this month',
  auth: 'assertion',
  answer: { status: 200, description: 'The meters', schema: metersSchema },
})

export const consumeQuota = defineOperation({
  id: 'consumeQuota',
  method: 'post',
  path: '/quota/consume',
  summary: 'Count a use, if the tier allows it',
  description:
    'Check and increment are one. The same key with the same body gives the receipt of the first time and counts nothing; ' +
    'with another body, or after it was given back, it is refused. The meter `capsule` is moved by registering alone.',
  auth: 'assertion',
  body: consumeSchema,
  answer: receipt,
  errors: [
    'quota_exhausted',
    'meter_internal',
    'idempotency_conflict',
    'quota_reversed',
    'quota_key_limit',
    'receipts_unavailable',
  ],
})

export const refundQuota = defineOperation({
  id: 'refundQuota',
  method: 'post',
  path: '/quota/refund',
  summary: 'Take a consumption of the caller back',
  description: 'Named by its key, once; again gives the same receipt. It counts less in the month in which it counted.',
  auth: 'assertion',
  body: refundSchema,
  answer: receipt,
  errors: REVERSE_ERRORS,
})

export const adjustQuota = defineOperation({
  id: 'adjustQuota',
  method: 'post',
  path: '/quota/delta',
  summary: 'Take a part of a consumption of the caller back',
  description: 'As a refund, for less than the whole. A consumption is reversed once: in part or whole.',
  auth: 'assertion',
  body: deltaSchema,
  answer: receipt,
  errors: REVERSE_ERRORS,
})

export const quotaRoutes = [
  payRoute(readQuota, async ({ caller, deps }) => ({ meters: await deps.quota.meters(caller.did) })),
  payRoute(consumeQuota, async ({ caller, body, deps }) => {
    const consumed = await deps.quota.consume(caller.did, body)
    if (consumed.ok) return consumed.value
    throw consumeError(consumed.error)
  }),
  payRoute(refundQuota, async ({ caller, body: { key }, deps }) => {
    const reversed = await deps.quota.reverse(caller.did, { operation: 'refund', key })
    if (reversed.ok) return reversed.value
    throw new ApiError(reversed.error.reason)
  }),
  payRoute(adjustQuota, async ({ caller, body: { kind, delta, key }, deps }) => {
    const reversed = await deps.quota.reverse(caller.did, { operation: 'delta', kind, amount: -delta, key })
    if (reversed.ok) return reversed.value
    throw new ApiError(reversed.error.reason)
  }),
]

type Refusal = ConsumeRefusal | { readonly reason: 'receipts_unavailable' | 'meter_internal' }

function consumeError(refusal: Refusal): ApiError {
  if (refusal.reason !== 'quota_exhausted') return new ApiError(refusal.reason)
  const { reason, ...quota } = refusal
  return new ApiError(reason, { quota })
}
