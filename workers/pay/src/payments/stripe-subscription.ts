/**
 * Stripe's subscriptions. Before API version 2025-03-31 the period stood on the subscription itself, since then on its
 * items; both are read.
 *
 * @module
 */
import { didSchema } from '@svc/protocol/base/identity'
import { skuSchema } from '@svc/protocol/pay/offers'
import * as z from 'zod'
import { type RawSubscription, type UnreadNews, unread } from './news.ts'
import { faultsOf, isOurs, nameSchema, secondsSchema } from './stripe-shapes.ts'

const periodShape = { current_period_start: secondsSchema.nullish(), current_period_end: secondsSchema.nullish() }
const itemSchema = z.object({
  ...periodShape,
  price: z.object({ lookup_key: z.string().nullish() }).nullish(),
})

const subscriptionSchema = z.object({
  ...periodShape,
  id: nameSchema,
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
  cancel_at: secondsSchema.nullish(),
  ended_at: secondsSchema.nullish(),
  trial_end: secondsSchema.nullish(),
  pause_collection: z.object({ behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']) }).nullish(),
  /** An id, or the invoice where it was expanded. */
  latest_invoice: z.union([nameSchema, z.looseObject({ status: z.string().nullish() })]).nullish(),
  metadata: z.object({ did: didSchema, sku: skuSchema }),
  items: z.object({ data: z.array(itemSchema).min(1) }),
})
type Subscription = z.infer<typeof subscriptionSchema>

/** Null for a subscription of someone else. */
export function subscriptionNews(object: unknown): RawSubscription | UnreadNews | null {
  if (!isOurs(object)) return null
  const parsed = subscriptionSchema.safeParse(object)
  if (!parsed.success) return unread(`subscription: ${faultsOf(parsed.error)}`)
  const [item] = parsed.data.items.data
  const start = item?.current_period_start ?? parsed.data.current_period_start
  const end = item?.current_period_end ?? parsed.data.current_period_end
  if (start == null || end == null) return unread('subscription: no period')
  // A price of the provider's own catalogue names its offer; ours have the name in the metadata.
  const sold = skuSchema.safeParse(item?.price?.lookup_key).data
  return newsIn(parsed.data, { periodStart: start * 1000, periodEnd: end * 1000 }, sold)
}

function newsIn(
  subscription: Subscription,
  period: { readonly periodStart: number; readonly periodEnd: number },
  sold: string | undefined,
): RawSubscription {
  const { id, metadata, cancel_at_period_end, cancel_at, ended_at, trial_end } = subscription
  const isPaused = subscription.pause_collection?.behavior === 'void'
  const isRenewed = !cancel_at_period_end && (cancel_at == null || cancel_at * 1000 > period.periodEnd)
  const pausedFrom = subscription.status === 'paused' && trial_end != null ? trial_end * 1000 : period.periodStart
  return {
    about: 'subscription',
    subscriptionId: id,
    did: metadata.did,
    sku: sold ?? metadata.sku,
    status: isPaused ? pausedStatusOf(subscription) : statusOf(subscription.status),
    ...period,
    renews: isRenewed && !isPaused,
    pausedFrom,
    endedAt: ended_at == null ? null : ended_at * 1000,
    isOpen: isPaused && typeof subscription.latest_invoice !== 'object',
  }
}

/** While collection is paused with `void`, a period whose invoice was paid before is given, and a later one is not. */
function pausedStatusOf({ status, latest_invoice }: Subscription): RawSubscription['status'] {
  const known = statusOf(status)
  const isPaid = typeof latest_invoice !== 'object' || latest_invoice?.status === 'paid'
  return known === 'active' && !isPaid ? 'paused' : known
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
      return 'past_due'
    case 'paused':
      return 'paused'
    case 'canceled':
    case 'incomplete_expired':
      return 'ended'
  }
}
