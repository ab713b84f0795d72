/**
 * Which purchase is refused, so that nobody pays twice for the same time.
 *
 * @module
 */
import type { PurchaseWay } from '@svc/protocol/pay/entitlements'
import type { Offer } from '@svc/protocol/pay/offers'
import { rankOf } from '@svc/protocol/pay/tiers'
import { heldUntil, type StoredGrant, tierAt } from './rules.ts'

export interface PurchaseRefusal {
  readonly reason: 'already_subscribed' | 'higher_tier'
  readonly grantId: string
  readonly ways: readonly PurchaseWay[]
  /** When that grant ends as things stand, epoch ms. */
  readonly until: number
}

/** Null for a purchase that is allowed: a first one, a higher tier for some time, or more of the same. */
export function purchaseRefusal(
  { kind, tier }: Pick<Offer, 'kind' | 'tier'>,
  grants: readonly StoredGrant[],
  now: number,
): PurchaseRefusal | null {
  const subscription = grants.find((grant) => isSubscribed(grant, now))
  const higher = grants.find((grant) => rankOf(tierAt(grant, now) ?? 'notes') > rankOf(tier))
  if (subscription && kind === 'subscription') {
    const canStack = subscription.tier === tier
    return refusal('already_subscribed', subscription, ['change', ...(canStack ? (['stack'] as const) : []), 'wait'])
  }
  if (higher) return refusal('higher_tier', higher, higher === subscription ? ['change', 'wait'] : ['wait'])
  const isWasted = subscription?.tier === tier && subscription.renews
  return subscription && isWasted ? refusal('already_subscribed', subscription, ['stack', 'wait']) : null
}

/** Whether a subscription runs, also while its payment is disputed: it may renew. */
export function isSubscribed(grant: StoredGrant, now: number): boolean {
  return grant.source === 'subscription' && grant.status !== 'ended' && heldUntil(grant) > now
}

function refusal(
  reason: PurchaseRefusal['reason'],
  grant: StoredGrant,
  ways: PurchaseRefusal['ways'],
): PurchaseRefusal {
  const until = grant.renews && grant.status === 'active' ? grant.periodEnd : heldUntil(grant)
  return { reason, grantId: grant.id, ways, until }
}
