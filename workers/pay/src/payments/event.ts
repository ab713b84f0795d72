/**
 * Provider events in the terms of this service. Stripe's events are parsed here, and the embedded provider writes the
 * same ones. Only the members in use are read, and all of them are validated.
 *
 * @module
 */
import { didSchema } from '@svc/protocol/base/identity'
import { intentIdSchema } from '@svc/protocol/pay/intents'
import { skuSchema } from '@svc/protocol/pay/offers'
import * as z from 'zod'

/** The checkout page of an intent has finished. */
export interface CheckoutNews {
  readonly about: 'checkout'
  readonly intentId: string
  readonly sessionId: string
  readonly state: 'paid' | 'failed' | 'expired'
}

/** A subscription at a time, with the name of its offer. */
export interface RawSubscription {
  readonly about: 'subscription'
  readonly subscriptionId: string
  readonly did: string
  readonly sku: string
  readonly status: 'pending' | 'active' | 'past_due' | 'ended'
  readonly periodStart: number
  readonly periodEnd: number
  readonly renews: boolean
  readonly endedAt: number | null
}

export interface PaymentEvent {
  readonly id: string
  readonly type: string
  /** When it happened, epoch ms; the provider dates to the second. */
  readonly occurredAt: number
  /** Null for an event that this service does not use. */
  readonly news: CheckoutNews | RawSubscription | null
}

const seconds = z.int().min(0)
const name = z.string().min(1).max(255)

const eventSchema = z.object({
  id: name,
  type: name,
  created: seconds,
  livemode: z.boolean(),
  /** Events of connected accounts: their owners control the content. */
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
})

const sessionSchema = z.object({
  id: name,
  client_reference_id: intentIdSchema,
  metadata: z.object({ intent: intentIdSchema }),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
})

const subscriptionSchema = z.object({
  id: name,
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  cancel_at_period_end: z.boolean(),
  cancel_at: seconds.nullish(),
  ended_at: seconds.nullish(),
  metadata: z.object({ did: didSchema, sku: skuSchema }),
  items: z.object({
    data: z
      .array(
        z.object({
          current_period_start: seconds,
          current_period_end: seconds,
          price: z.object({ lookup_key: z.string().nullish() }).nullish(),
        }),
      )
      .min(1),
  }),
})
type Subscription = z.infer<typeof subscriptionSchema>

/** Null if it does not have the form of an event. An event of the other mode, or of another account, is ignored. */
export function paymentEventOf(event: unknown, expectedLive: boolean): PaymentEvent | null {
  const parsed = eventSchema.safeParse(event)
  if (!parsed.success) return null
  const { id, type, created, data, livemode, account } = parsed.data
  const isOurs = livemode === expectedLive && account == null
  return { id, type, occurredAt: created * 1000, news: isOurs ? newsOf(type, data.object) : null }
}

function newsOf(type: string, object: unknown): CheckoutNews | RawSubscription | null {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return checkoutNews(type, object)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return subscriptionNews(object)
    default:
      return null
  }
}

/**
 * Completed does not mean paid: a bank debit is `unpaid` then, and another event follows within days. A payer who uses a
 * payment link of the same account controls `client_reference_id`; only the creator of the page controls its metadata.
 */
function checkoutNews(type: string, object: unknown): CheckoutNews | null {
  const session = sessionSchema.safeParse(object).data
  if (!session || session.metadata.intent !== session.client_reference_id) return null
  const about = { about: 'checkout', intentId: session.client_reference_id, sessionId: session.id } as const
  if (type === 'checkout.session.expired') return { ...about, state: 'expired' }
  if (type === 'checkout.session.async_payment_failed') return { ...about, state: 'failed' }
  return session.payment_status === 'unpaid' ? null : { ...about, state: 'paid' }
}

/** Null for a subscription of someone else. */
export function subscriptionNews(object: unknown): RawSubscription | null {
  const subscription = subscriptionSchema.safeParse(object).data
  const [item] = subscription?.items.data ?? []
  if (!subscription || !item) return null
  const { id, metadata, cancel_at_period_end, cancel_at, ended_at } = subscription
  const periodEnd = item.current_period_end * 1000
  // A price of the provider's own catalogue names its offer; ours have the name in the metadata.
  const sold = skuSchema.safeParse(item.price?.lookup_key).data
  return {
    about: 'subscription',
    subscriptionId: id,
    did: metadata.did,
    sku: sold ?? metadata.sku,
    status: statusOf(subscription.status),
    periodStart: item.current_period_start * 1000,
    periodEnd,
    renews: !cancel_at_period_end && (cancel_at == null || cancel_at * 1000 > periodEnd),
    endedAt: ended_at == null ? null : ended_at * 1000,
  }
}

function statusOf(status: Subscription['status']): RawSubscription['status'] {
  switch (status) {
    case 'incomplete':
      return 'pending'
    case 'trialing':
    case 'active':
      return 'active'
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return 'past_due'
    case 'canceled':
    case 'incomplete_expired':
      return 'ended'
  }
}
