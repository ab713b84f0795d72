import { intentIdSchema, intentRequestSchema, intentSchema } from '@svc/protocol/pay/intents'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../service.ts'
import { MAX_REQUESTS_PER_DAY } from './rules.ts'
import type { IntentRefusal } from './service.ts'

const params = z.strictObject({ id: intentIdSchema })
const intent = { status: 200, description: 'The intent', schema: intentSchema } as const

export const createIntent = defineOperation({
  id: 'createIntent',
  method: 'post',
  path: '/pay/intent',
  summary: 'Start a payment for an offer',
  description:
    'The price is that of the country the edge sees, and of `country` only if it sees none. It is fixed now. A second ' +
    'subscription, and a lower tier under a higher one, are refused with what can be done instead. With an Idempotency-Key, a ' +
    'retry returns the same intent, and continues where the first request stopped if the provider was unreachable; ' +
    'another request with the key is rejected. Without one, each request makes an intent.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'payments:write',
  idempotencyKey: 'optional',
  callerWindow: {
    counter: 'createIntent',
    limit: MAX_REQUESTS_PER_DAY,
    seconds: 86_400,
    protects: 'money',
    tier: 'payments',
  },
  body: intentRequestSchema,
  answer: intent,
  errors: [
    'unknown_sku',
    'sku_not_payable',
    'idempotency_conflict',
    'already_subscribed',
    'higher_tier',
    'intent_limit',
    'intent_pending',
    'payments_unavailable',
  ],
})

export const readIntent = defineOperation({
  id: 'readIntent',
  method: 'get',
  path: '/pay/intent/{id}',
  summary: 'Read the status of a payment of the caller',
  description:
    'Ask after the payer has come back: the return URL proves nothing, `state` `paid` does. Times are in epoch ' +
    'ms. The intent of another identity is 404. An unpaid intent is deleted 90 days after its page has closed.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'quota:read',
  params,
  answer: intent,
  errors: ['not_found'],
})

export const cancelIntent = defineOperation({
  id: 'cancelIntent',
  method: 'post',
  path: '/pay/intent/{id}/cancel',
  summary: 'Close the payment page of an intent',
  description: 'Takes no body. Does not cancel a completed payment.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'payments:write',
  params,
  answer: intent,
  errors: ['not_found', 'intent_state', 'payments_unavailable'],
})

export const intentRoutes = [
  payRoute(createIntent, async ({ caller, body, country: seenCountry, idempotencyKey, deps, now }) => {
    const { sku, country = null } = body
    const made = await deps.intents.make(caller.did, { sku, country, seenCountry, idempotencyKey }, now)
    if (made.ok) return made.value
    throw intentError(made.error)
  }),
  payRoute(readIntent, async ({ caller, params: { id }, deps, now }) => {
    const found = await deps.intents.find(caller.did, id, now)
    if (!found) throw new ApiError('not_found')
    return found
  }),
  payRoute(cancelIntent, async ({ caller, params: { id }, deps, now }) => {
    const cancelled = await deps.intents.cancel(caller.did, id, now)
    if (cancelled.ok) return cancelled.value
    throw new ApiError(cancelled.error.reason)
  }),
]

function intentError(refusal: IntentRefusal): ApiError {
  if (!('ways' in refusal)) return new ApiError(refusal.reason)
  const { reason, ...details } = refusal
  return new ApiError(reason, { details })
}
