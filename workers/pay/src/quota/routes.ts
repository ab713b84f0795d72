import { consumeSchema, deltaSchema, metersSchema, quotaReceiptSchema, refundSchema } from '@svc/protocol/pay/quota'
import { ApiError, defineOperation } from '@svc/service'
import { payRoute } from '../service.ts'
import type { ConsumeRefusal } from './transaction.ts'

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
  summary: 'List the caller’s meters of this month, and what the caller keeps at core',
  description:
    'Limits are per calendar month, UTC. `reserved` units are held for work in progress and count as used. `stored` ' +
    'is in bytes and records, out of the budget of the tier, and null if core does not answer.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:read',
  answer: { status: 200, description: 'The meters', schema: metersSchema },
})

export const consumeQuota = defineOperation({
  id: 'consumeQuota',
  method: 'post',
  path: '/quota/consume',
  summary: 'Count a use, if the tier allows it',
  description:
    'Check and increment are atomic. The same key with the same body returns the original receipt and counts nothing; ' +
    'with another body, or after a reversal, it is rejected. Only registrations count towards the meter `capsule`.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:consume',
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
  summary: 'Reverse a consumption of the caller',
  description: 'Identified by its key. Idempotent. Subtracts from the month in which it was counted.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:consume',
  body: refundSchema,
  answer: receipt,
  errors: REVERSE_ERRORS,
})

export const adjustQuota = defineOperation({
  id: 'adjustQuota',
  method: 'post',
  path: '/quota/delta',
  summary: 'Reverse part of a consumption of the caller',
  description: 'Like a refund, for less than the whole. A consumption can be reversed once, in part or as a whole.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:consume',
  body: deltaSchema,
  answer: receipt,
  errors: REVERSE_ERRORS,
})

export const quotaRoutes = [
  payRoute(readQuota, async ({ caller, deps }) => {
    const [meters, stored] = await Promise.all([deps.quota.meters(caller.did), deps.stored.find(caller.did)])
    return { meters, stored }
  }),
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
