import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../service.ts'
import type { WebhookRefusal } from './webhook-verifier.ts'

export const takeStripeEvent = defineOperation({
  id: 'takeStripeEvent',
  method: 'post',
  path: '/pay/webhook/stripe',
  summary: 'Receive an event of the payment provider',
  description:
    'The credential is the header Stripe-Signature over the bytes of the body, at most five minutes old. Each event is ' +
    'applied once, in whatever order events arrive; events that concern something else are confirmed and ignored. ' +
    'One that carries our metadata and is not understood is kept, and refused so that it comes again.',
  auth: 'none',
  rawBody: ['application/json'],
  answer: {
    status: 200,
    description: 'Received',
    schema: z.strictObject({ received: z.literal(true) }).meta({ id: 'Received' }),
  },
  errors: [
    'invalid_request',
    'invalid_signature',
    'payments_unavailable',
    'dependency_unavailable',
    'event_not_understood',
  ],
})

export const webhookRoutes = [
  payRoute(takeStripeEvent, async ({ bytes, headers, deps, now, logReason }) => {
    const taken = await deps.webhooks.take(bytes, headers.get('stripe-signature'), now)
    if (!taken.ok) throw webhookError(taken.error)
    // Not confirmed, so that the provider repeats it: a later version may understand it.
    if (taken.value.outcome === 'not understood') throw new ApiError('event_not_understood')
    logReason(taken.value.outcome)
    return { received: true as const }
  }),
]

function webhookError({ reason }: WebhookRefusal): ApiError {
  switch (reason) {
    case 'malformed':
      return new ApiError('invalid_request', { message: 'body: must be an event' })
    case 'invalid_signature':
    case 'payments_unavailable':
      return new ApiError(reason)
  }
}
