import { internalHealthSchema } from '@svc/protocol/internal'
import { reservationNameSchema, reservationSchema, reserveAnswerSchema, reserveSchema } from '@svc/protocol/quota'
import { ApiError, defineOperation } from '@svc/service'
import { payRoute } from '../route.ts'
import { PAY_VERSION } from '../version.ts'

export const checkInternal = defineOperation({
  id: 'checkInternal',
  method: 'get',
  path: '/api/internal/health',
  summary: 'Whether a sibling reaches pay’s internal routes',
  auth: 'internal',
  answer: { status: 200, description: 'Reached', schema: internalHealthSchema, bare: true },
})

export const reserveQuota = defineOperation({
  id: 'reserveQuota',
  method: 'post',
  path: '/api/internal/quota/reserve',
  summary: 'Hold units for a use that may yet fail',
  description:
    'What is held counts against the limit until it is finalized or released, or its time is over. The same key again is ' +
    'the same reservation; of one that was finalized the answer is `finalized` and nothing more is held. `exhausted` is ' +
    'an answer: it carries what the caller’s own 402 says.',
  auth: 'internal',
  body: reserveSchema,
  answer: { status: 200, description: 'Held, used before, or exhausted', schema: reserveAnswerSchema, bare: true },
  errors: ['idempotency_conflict', 'quota_key_limit', 'dependency_unavailable'],
})

const settled = { status: 200, description: 'How it stands', schema: reservationSchema, bare: true } as const
const SETTLE_ERRORS = ['not_found', 'reservation_ended', 'dependency_unavailable'] as const

export const finalizeQuota = defineOperation({
  id: 'finalizeQuota',
  method: 'post',
  path: '/api/internal/quota/finalize',
  summary: 'Turn what is held into use',
  auth: 'internal',
  body: reservationNameSchema,
  answer: settled,
  errors: SETTLE_ERRORS,
})

export const releaseQuota = defineOperation({
  id: 'releaseQuota',
  method: 'post',
  path: '/api/internal/quota/release',
  summary: 'Let go of what is held',
  description: 'Of what has expired by itself the answer is `expired`.',
  auth: 'internal',
  body: reservationNameSchema,
  answer: settled,
  errors: SETTLE_ERRORS,
})

export const internalRoutes = [
  payRoute(checkInternal, () => ({ service: 'pay' as const, version: PAY_VERSION })),
  payRoute(reserveQuota, async ({ body: { did, ttlSeconds, ...units }, deps }) => {
    const reserved = await deps.quota.reserve(did, units, ttlSeconds * 1000)
    if (reserved.ok) return reserved.value
    if (reserved.error.reason !== 'quota_exhausted') throw new ApiError(reserved.error.reason)
    const { reason: _, ...meter } = reserved.error
    return { state: 'exhausted' as const, ...meter }
  }),
  payRoute(finalizeQuota, async ({ body: { did, key }, deps }) => {
    const finalized = await deps.quota.settle(did, key, 'finalized')
    if (finalized.ok) return finalized.value
    throw new ApiError(finalized.error.reason)
  }),
  payRoute(releaseQuota, async ({ body: { did, key }, deps }) => {
    const released = await deps.quota.settle(did, key, 'released')
    if (released.ok) return released.value
    throw new ApiError(released.error.reason)
  }),
]
