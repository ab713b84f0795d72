import type { SpendRefusal } from '@svc/assertion'
import { holdStateSchema } from '@svc/protocol/chain/hold'
import { ApiError, defineOperation, spendError } from '@svc/service'
import { CORE_REFUSALS, coreRoute } from '../service.ts'

const answer = { status: 200, description: 'The state of the hold', schema: holdStateSchema } as const

export const readHold = defineOperation({
  id: 'readHold',
  method: 'get',
  path: '/api/security/hold',
  summary: 'Check whether the caller is under a security hold',
  description:
    'The root key and every active device may ask. While `held` is true, chain and inception writes and transfers of ' +
    'assets are refused; rotations go on. `placedAt` is in epoch ms. Only the root key can lift a hold.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'any',
  answer,
})

export const placeHold = defineOperation({
  id: 'placeHold',
  method: 'post',
  path: '/api/security/hold',
  summary: 'Freeze the caller’s chain writes at once',
  description:
    'Takes no body. By the root key or any active device. Appends to the chain and to the inception log get 409 ' +
    '`security_hold` until the root key lifts the hold; freeze, cancel and activation of a rotation still work. ' +
    'Idempotent: keeps the original time. A device can place at most three in 30 days.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Any active device may place a hold, whatever its capabilities.
  capability: 'any',
  answer,
  errors: ['veto_limit'],
})

export const liftHold = defineOperation({
  id: 'liftHold',
  method: 'post',
  path: '/api/security/hold/lift',
  summary: 'Lift the hold (root key only)',
  description: 'Takes no body. Idempotent.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'root',
  answer,
})

export const securityRoutes = [
  coreRoute(readHold, async ({ assertion, deps, now }) => {
    const read = await deps.identities.hold(assertion.take())
    if (read.ok) return read.value
    throw spendError(read.error, CORE_REFUSALS, now)
  }),
  coreRoute(placeHold, async ({ assertion, deps, now }) => {
    const placed = await deps.identities.setHold(assertion.take(), true)
    if (placed.ok) return placed.value
    throw holdError(placed.error, now)
  }),
  coreRoute(liftHold, async ({ assertion, deps, now }) => {
    const lifted = await deps.identities.setHold(assertion.take(), false)
    if (lifted.ok) return lifted.value
    throw holdError(lifted.error, now)
  }),
]

function holdError(refusal: SpendRefusal | { readonly reason: 'veto_limit' }, now: number): ApiError {
  return refusal.reason === 'veto_limit' ? new ApiError('veto_limit') : spendError(refusal, CORE_REFUSALS, now)
}
