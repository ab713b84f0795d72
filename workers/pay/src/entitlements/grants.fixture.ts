import type { SubscriptionNews } from './rules.ts'

export const DAY = 86_400_000
export const START = Date.UTC(2026, 10, 10)
export const END = Date.UTC(2026, 11, 10)
export const DID = `did:svc:${'A'.repeat(32)}`

/** What Stripe says of a subscription that is active for a month. */
export const news = (changes: Partial<SubscriptionNews> = {}): SubscriptionNews => ({
  subscriptionId: 'sub_1',
  did: DID,
  tier: 'provenance',
  status: 'active',
  periodStart: START,
  periodEnd: END,
  renews: true,
  pausedFrom: null,
  endedAt: null,
  asOf: START,
  ...changes,
})
