/** What siblings ask about the assertions that they take. */
import { MAX_LIFETIME_MS, type SpendRefusal } from '@svc/assertion'
import { userIdSchema } from '@svc/protocol/base/identity'
import {
  consumedSchema,
  consumeNonceSchema,
  keyScopeSchema,
  spendAssertionSchema,
  spendQuerySchema,
} from '@svc/protocol/internal/core'
import { ApiError, defineOperation, spendError } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import { SIBLINGS } from './siblings.ts'

export const resolveKeyScope = defineOperation({
  id: 'resolveKeyScope',
  method: 'get',
  path: '/api/internal/key-scope/{authKeyUserId}',
  summary: 'Resolve a current signing key to its permanent scope',
  auth: 'internal',
  callers: SIBLINGS,
  params: z.strictObject({ authKeyUserId: userIdSchema }),
  answer: { status: 200, description: 'A current key', schema: keyScopeSchema, bare: true },
  errors: ['not_found', 'key_superseded', 'did_deactivated', 'dependency_unavailable'],
})

/** Pay and provenance have one audience, so what is spent at one is spent at the other. */
const nonceRealmOf = (caller: string) => (caller === 'pay' ? 'provenance' : caller)

export const spendAssertion = defineOperation({
  id: 'spendAssertion',
  method: 'post',
  path: '/api/internal/assertion/spend',
  summary: 'Check the key of a verified assertion and spend its nonce, in one step',
  description:
    'In the object of the identity, which also compares what a device claims with its record. Nothing is spent for a ' +
    'key or a device that may not act. Services with one audience share their nonces.',
  auth: 'internal',
  callers: SIBLINGS,
  query: spendQuerySchema,
  body: spendAssertionSchema,
  answer: { status: 200, description: 'Spent by this call', schema: keyScopeSchema, bare: true },
  errors: [
    'not_found',
    'key_superseded',
    'did_deactivated',
    'device_keys_disabled',
    'attestation_unverifiable',
    'unauthorized',
    'assertion_replay',
    'assertion_expired',
    'dependency_unavailable',
  ],
})

export const consumeNonce = defineOperation({
  id: 'consumeNonce',
  method: 'post',
  path: '/api/internal/nonce/consume',
  summary: 'Spend a nonce for a caller without a guard of its own',
  auth: 'internal',
  callers: SIBLINGS,
  body: consumeNonceSchema,
  answer: { status: 200, description: 'Spent by this call', schema: consumedSchema, bare: true },
  errors: ['not_found', 'assertion_replay', 'assertion_expired', 'dependency_unavailable'],
})

/** An assertion’s hour plus the widest skew: longer, and a sibling could fill an identity permanently. */
const MAX_KEEP_MS = MAX_LIFETIME_MS + 2 * 300_000

function requireSoon(member: string, keepMs: number): void {
  if (keepMs > MAX_KEEP_MS) throw new ApiError('invalid_request', { message: `body.${member}: too late` })
}

/** The names that siblings know; everything about a device that would help a prober is one of them. */
function spendFault(refusal: SpendRefusal, now: number): ApiError {
  const { reason } = refusal
  if (reason === 'superseded') return new ApiError('key_superseded')
  if (reason === 'deactivated') return new ApiError('did_deactivated')
  if (reason === 'unknown_key' || reason === 'unknown_device') return new ApiError('not_found')
  if (reason === 'replay') return new ApiError('assertion_replay')
  return spendError(refusal, { rejected: 'unauthorized', replay: 'assertion_replay' }, now)
}

export const assertionRoutes = [
  coreRoute(resolveKeyScope, async ({ params, deps }) => {
    const scope = await deps.identities.keyScope(params.authKeyUserId)
    if (scope.ok) return scope.value
    switch (scope.error.reason) {
      case 'superseded':
        throw new ApiError('key_superseded')
      case 'deactivated':
        throw new ApiError('did_deactivated')
      case 'unknown_key':
        throw new ApiError('not_found')
    }
  }),
  coreRoute(spendAssertion, async ({ query, body, deps, now, internalCaller }) => {
    if (body.device && deps.config.DEVICE_KEYS !== 'on') throw new ApiError('device_keys_disabled')
    requireSoon('keepMs', body.keepMs)
    const issuedAt = query.issuedAt === undefined ? undefined : Number(query.issuedAt)
    const spent = await deps.identities.spendFor(nonceRealmOf(internalCaller), body, { now, issuedAt })
    if (!spent.ok) throw spendFault(spent.error, now)
    const { device: _, ...scope } = spent.value
    return scope
  }),
  coreRoute(consumeNonce, async ({ body, deps, now }) => {
    requireSoon('keepUntil', body.keepUntil - now)
    const outcome = await deps.identities.consumeNonce(body)
    switch (outcome) {
      case 'spent':
        return { consumed: true as const }
      case 'replay':
        throw new ApiError('assertion_replay')
      case 'expired':
        throw new ApiError('assertion_expired', { serverTime: now })
      case 'not_found':
        throw new ApiError('not_found')
    }
  }),
]
