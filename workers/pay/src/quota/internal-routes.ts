import { internalHealthSchema } from '@svc/protocol/internal/core'
import { reservationNameSchema, reservationSchema, reserveAnswerSchema, reserveSchema } from '@svc/protocol/pay/quota'
import { ApiError, defineOperation } from '@svc/service'
import { PAY_DESCRIPTION, payRoute } from '../service.ts'

export const checkInternal = defineOperation({
  id: 'checkInternal',
  method: 'get',
  path: '/api/internal/health',
  summary: 'Check that pay’s internal routes are reachable',
  auth: 'internal',
  callers: ['provenance'],
  answer: { status: 200, description: 'Reached', schema: internalHealthSchema, bare: true },
})

export const reserveQuota = defineOperation({
  id: 'reserveQuota',
  method: 'post',
  path: '/api/internal/quota/reserve',
  summary: 'Reserve units for a use that may still fail',
  description:
    'A reservation counts against the limit until it is finalized, released or expired. Idempotent per key; for a ' +
    'finalized one the answer is `finalized`, and nothing more is reserved. `exhausted` is an answer too: it carries what ' +
    'the caller’s own 402 says.',
  auth: 'internal',
  callers: ['provenance'],
  body: reserveSchema,
  answer: { status: 200, description: 'Reserved, used before, or exhausted', schema: reserveAnswerSchema, bare: true },
  errors: ['idempotency_conflict', 'quota_key_limit', 'dependency_unavailable'],
})

const settled = {
  status: 200,
  description: 'The state of the reservation',
  schema: reservationSchema,
  bare: true,
} as const
const SETTLE_ERRORS = ['not_found', 'reservation_ended', 'dependency_unavailable'] as const

export const finalizeQuota = defineOperation({
  id: 'finalizeQuota',
  method: 'post',
  path: '/api/internal/quota/finalize',
  summary: 'Turn a reservation into use',
  auth: 'internal',
  callers: ['provenance'],
  body: reservationNameSchema,
  answer: settled,
  errors: SETTLE_ERRORS,
})

export const releaseQuota = defineOperation({
  id: 'releaseQuota',
  method: 'post',
  path: '/api/internal/quota/release',
  summary: 'Release a reservation',
  description: 'For an expired one the answer is `expired`.',
  auth: 'internal',
  callers: ['provenance'],
  body: reservationNameSchema,
  answer: settled,
  errors: SETTLE_ERRORS,
})

export const internalRoutes = [
  payRoute(checkInternal, () => ({ service: 'pay' as const, version: PAY_DESCRIPTION.version })),
  payRoute(reserveQuota, async ({ body: { did, ttlSeconds, ...units }, deps }) => {
    const reserved = await deps.quota.reserve(did, units, ttlSeconds * 1000)
    if (reserved.ok) return reserved.value
    if (reserved.error.reason !== 'quota_exhausted') throw new ApiError(reserved.error.reason)
    const { reason: _, ...meter } = reserved.error
    return { state: 'exhausted' as const, ...meter }
  }),
  payRoute(finalizeQuota, async ({ body, deps }) => {
    const finalized = await deps.quota.settle(body, 'finalized')
    if (finalized.ok) return finalized.value
    throw new ApiError(finalized.error.reason)
  }),
  payRoute(releaseQuota, async ({ body, deps }) => {
    const released = await deps.quota.settle(body, 'released')
    if (released.ok) return released.value
    throw new ApiError(released.error.reason)
  }),
]
