/**
 * The law of entitlements: what a grant gives when, how a provider's word changes one, and which tier is in force.
 *
 * @module
 */
import type { Entitlement, Grant } from '@svc/protocol/entitlements'
import { rankOf, TIER_LIMITS, type Tier } from '@svc/protocol/tiers'

export const DAY_MS = 86_400_000
/**
 * How long a tier outlives a renewal that failed, and how long one that should have been renewed is held while no news
 * of it came. Cards are mostly mended within days; a provider repeats its events for three.
 */
export const GRACE_MS = 7 * DAY_MS

export type GrantStatus = 'active' | 'past_due' | 'ended'

export interface StoredGrant {
  readonly id: string
  readonly did: string
  readonly tier: Tier
  readonly source: Grant['source']
  readonly status: GrantStatus
  readonly periodStart: number
  readonly periodEnd: number
  readonly renews: boolean
  readonly graceUntil: number | null
  readonly nextTier: Tier | null
  readonly subscriptionId: string | null
  /** The time that the provider gives to the newest thing it said. */
  readonly asOf: number
  readonly version: number
}

/** What decides about a tier. */
export type Standing = Pick<
  StoredGrant,
  'tier' | 'status' | 'periodStart' | 'periodEnd' | 'renews' | 'graceUntil' | 'nextTier'
>

/** When a grant stops giving anything, as things stand. */
export function heldUntil({ status, periodEnd, renews, graceUntil }: Standing): number {
  switch (status) {
    case 'ended':
      return periodEnd
    case 'past_due':
      return graceUntil ?? periodEnd
    case 'active':
      return renews ? periodEnd + GRACE_MS : periodEnd
  }
}

/** The tier that a grant gives at a time, or none. */
export function tierAt(grant: Standing, now: number): Tier | null {
  if (now < grant.periodStart || now >= heldUntil(grant)) return null
  return now >= grant.periodEnd ? (grant.nextTier ?? grant.tier) : grant.tier
}

/** The highest tier that any grant gives; what everybody has where none does. */
export function effectiveTier(grants: readonly Standing[], now: number): Tier {
  return highest(grants.flatMap((grant) => tierAt(grant, now) ?? []))
}

/** What an owner is told. */
export function entitlementOf(grants: readonly StoredGrant[], now: number): Entitlement {
  const tier = effectiveTier(grants, now)
  const inForce = grants.filter((grant) => tierAt(grant, now) === tier)
  const longest = inForce.toSorted((a, b) => heldUntil(b) - heldUntil(a))[0]
  const shown = grants.filter((grant) => heldUntil(grant) > now).map(grantOf)
  const limits = TIER_LIMITS[tier]
  if (!longest) return { tier, source: 'signup', until: null, renews: false, next: tier, limits, grants: shown }
  const renews = inForce.some((grant) => grant.renews && grant.status === 'active')
  const until = longest.renews && longest.status === 'active' ? longest.periodEnd : heldUntil(longest)
  return { tier, source: longest.source, until, renews, next: tierAfter(grants, until), limits, grants: shown }
}

/** The tier from a time on, when what renews is renewed and what does not has ended. */
function tierAfter(grants: readonly StoredGrant[], at: number): Tier {
  const tiers = grants.flatMap((grant) => {
    const isRenewed = grant.renews && grant.status === 'active' && at >= grant.periodEnd
    return (isRenewed ? (grant.nextTier ?? grant.tier) : tierAt(grant, at)) ?? []
  })
  return highest(tiers)
}

function highest(tiers: readonly Tier[]): Tier {
  return tiers.reduce<Tier>((best, tier) => (rankOf(tier) > rankOf(best) ? tier : best), 'notes')
}

export function grantOf(grant: StoredGrant): Grant {
  const { id, tier, source, periodStart, periodEnd, renews, graceUntil, nextTier } = grant
  return { id, tier, source, periodStart, periodEnd, renews, graceUntil, nextTier }
}

/** A provider's word about a subscription: the whole of it as it was at a time. */
export interface SubscriptionNews {
  readonly subscriptionId: string
  readonly did: string
  readonly tier: Tier
  /** `pending`: the first payment was not made yet. */
  readonly status: 'pending' | GrantStatus
  readonly periodStart: number
  readonly periodEnd: number
  readonly renews: boolean
  /** When it ended, if it has. */
  readonly endedAt: number | null
  readonly asOf: number
  /** How it stands now, as the provider was asked; nothing that is known is newer. */
  readonly isCurrent?: boolean
}

const PROGRESS = { pending: 0, active: 1, past_due: 2, ended: 3 } as const

/**
 * The grant after the news, or null when the news changes nothing: older than what is known, about a subscription that
 * has ended, or about one that was never paid. Events come in any order and are dated to the second; of two of one
 * second the later period counts, then the one that is further in a subscription's life.
 */
export function foldNews(grant: StoredGrant | null, news: SubscriptionNews): StoredGrant | null {
  if (
    grant &&
    (grant.status === 'ended' || grant.did !== news.did || (news.isCurrent !== true && isOlder(news, grant)))
  )
    return null
  if (news.status === 'pending') return null
  const { subscriptionId, did, periodStart, asOf } = news
  const isDowngrade =
    grant !== null &&
    grant.periodStart === periodStart &&
    rankOf(news.tier) < rankOf(grant.tier) &&
    news.status !== 'ended'
  return {
    id: `subscription:${subscriptionId}`,
    did,
    // What was paid for is given to the end of its period; the lower tier begins with the next one.
    tier: isDowngrade ? grant.tier : news.tier,
    nextTier: isDowngrade ? news.tier : null,
    source: 'subscription',
    status: news.status,
    periodStart,
    periodEnd: news.status === 'ended' ? endOf(grant, news) : news.periodEnd,
    renews: news.renews && news.status !== 'ended',
    graceUntil: news.status === 'past_due' ? periodStart + GRACE_MS : null,
    subscriptionId,
    asOf,
    version: (grant?.version ?? 0) + 1,
  }
}

/** The end of a subscription lengthens nothing: one that was cancelled for want of payment ends with its grace. */
function endOf(grant: StoredGrant | null, { endedAt, periodEnd, asOf }: SubscriptionNews): number {
  const end = Math.min(endedAt ?? asOf, periodEnd)
  return grant ? Math.min(end, heldUntil(grant)) : end
}

function isOlder(news: SubscriptionNews, grant: StoredGrant): boolean {
  if (news.asOf !== grant.asOf) return news.asOf < grant.asOf
  if (news.periodEnd !== grant.periodEnd) return news.periodEnd < grant.periodEnd
  return PROGRESS[news.status] < PROGRESS[grant.status]
}

/** The same day of a later month, UTC, or the last day of that month where it has no such day. */
export function addInterval(start: number, interval: 'month' | 'year'): number {
  const date = new Date(start)
  const months = interval === 'month' ? 1 : 12
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}

/** A pass that was paid: it begins when what was bought or given before it for the same tier ends. */
export function passGrant(
  pass: { readonly intentId: string; readonly did: string; readonly tier: Tier; readonly interval: 'month' | 'year' },
  paidAt: number,
  grants: readonly StoredGrant[],
): StoredGrant {
  const { intentId, did, tier, interval } = pass
  const id = `pass:${intentId}`
  const periodStart = startAfter(
    grants.filter((grant) => grant.id !== id),
    tier,
    paidAt,
  )
  return {
    id,
    did,
    tier,
    source: 'pass',
    status: 'active',
    periodStart,
    periodEnd: addInterval(periodStart, interval),
    renews: false,
    graceUntil: null,
    nextTier: null,
    subscriptionId: null,
    asOf: paidAt,
    version: 1,
  }
}

function startAfter(grants: readonly StoredGrant[], tier: Tier, now: number): number {
  const running = grants.filter((grant) => grant.tier === tier && grant.source !== 'subscription')
  return running.reduce((start, { periodEnd }) => Math.max(start, periodEnd), now)
}
