/**
 * The rules of grants: what one gives when, and how a provider's event changes it.
 *
 * @module
 */
import type { Grant, Reversed } from '@svc/protocol/pay/entitlements'
import { rankOf, type Tier } from '@svc/protocol/pay/tiers'

export const DAY_MS = 86_400_000
/**
 * How long a tier stays after a failed renewal, and after a due renewal without news. Most cards are fixed within days;
 * a provider repeats its events for three.
 */
export const GRACE_MS = 7 * DAY_MS

export type GrantStatus = 'active' | 'past_due' | 'ended'

/** A time whose payment was refunded or is disputed: the grant gives nothing in it. */
export interface Reversal {
  readonly from: number
  readonly until: number
  readonly reversed: Reversed
}

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
  readonly reversals: readonly Reversal[]
  /** The provider’s time of its newest information. */
  readonly asOf: number
  readonly version: number
}

/** What determines a tier. */
export type Terms = Pick<
  StoredGrant,
  'tier' | 'status' | 'periodStart' | 'periodEnd' | 'renews' | 'graceUntil' | 'nextTier' | 'reversals'
>

/** When a grant ends as things stand. */
export function heldUntil({ status, periodEnd, renews, graceUntil }: Terms): number {
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
export function tierAt(grant: Terms, now: number): Tier | null {
  if (now < grant.periodStart || now >= heldUntil(grant) || reversedAt(grant, now) !== null) return null
  return now >= grant.periodEnd ? (grant.nextTier ?? grant.tier) : grant.tier
}

/** Why a grant gives nothing at a time although it runs, or null. */
export function reversedAt({ reversals }: Pick<StoredGrant, 'reversals'>, now: number): Reversed | null {
  return reversals.find(({ from, until }) => now >= from && now < until)?.reversed ?? null
}

/** A provider's information about a subscription: its whole state at a time. */
export interface SubscriptionNews {
  readonly subscriptionId: string
  readonly did: string
  readonly tier: Tier
  /** `pending`: the first payment has not been made yet. */
  readonly status: 'pending' | 'paused' | GrantStatus
  readonly periodStart: number
  readonly periodEnd: number
  readonly renews: boolean
  /** While it is paused: until when it gives its tier. */
  readonly pausedFrom: number | null
  /** When it ended, if it did. */
  readonly endedAt: number | null
  readonly asOf: number
  /** The current state, as the provider was asked; nothing known is newer. */
  readonly isCurrent?: boolean
}

const PROGRESS = { pending: 0, active: 1, paused: 2, past_due: 2, ended: 3 } as const

/**
 * The grant after an event, or null if the event changes nothing: it is older than what is known, or about a subscription
 * that has ended or was never paid. Events arrive in any order and are dated to the second; of two in the same second,
 * the later period counts, then the later stage of a subscription's life.
 */
export function foldNews(grant: StoredGrant | null, news: SubscriptionNews): StoredGrant | null {
  if (grant && (grant.status === 'ended' || grant.did !== news.did)) return null
  if (grant && news.isCurrent !== true && isOlder(news, grant)) return raised(grant, news)
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
    // A paid period runs to its end; the lower tier starts with the next one.
    tier: isDowngrade ? grant.tier : news.tier,
    nextTier: isDowngrade ? news.tier : null,
    source: 'subscription',
    status: news.status === 'paused' ? 'past_due' : news.status,
    periodStart,
    periodEnd: news.status === 'ended' ? endOf(grant, news) : news.periodEnd,
    renews: news.renews && news.status !== 'ended' && news.status !== 'paused',
    graceUntil: graceOf(news),
    subscriptionId,
    reversals: grant?.reversals ?? [],
    // What the provider said when asked may be newer than the event that was the reason to ask.
    asOf: Math.max(asOf, grant?.asOf ?? 0),
    version: (grant?.version ?? 0) + 1,
  }
}

/** Older news still say what was paid: a higher tier earlier in the same period runs to its end. */
function raised(grant: StoredGrant, news: SubscriptionNews): StoredGrant | null {
  const isHigher = rankOf(news.tier) > rankOf(grant.tier)
  if (news.status !== 'active' || news.periodStart !== grant.periodStart || !isHigher) return null
  return { ...grant, tier: news.tier, nextTier: grant.nextTier ?? grant.tier, version: grant.version + 1 }
}

function graceOf({ status, periodStart, pausedFrom }: SubscriptionNews): number | null {
  if (status === 'paused') return pausedFrom ?? periodStart
  return status === 'past_due' ? periodStart + GRACE_MS : null
}

/** The end of a subscription extends nothing: one cancelled for non-payment ends with its grace period. */
function endOf(grant: StoredGrant | null, { endedAt, periodEnd, asOf }: SubscriptionNews): number {
  const end = Math.min(endedAt ?? asOf, periodEnd)
  return grant ? Math.min(end, heldUntil(grant)) : end
}

function isOlder(news: SubscriptionNews, grant: StoredGrant): boolean {
  if (news.asOf !== grant.asOf) return news.asOf < grant.asOf
  if (news.periodEnd !== grant.periodEnd) return news.periodEnd < grant.periodEnd
  return PROGRESS[news.status] < PROGRESS[grant.status]
}

/** The same day of a later month, UTC, or the last day of that month if it is shorter. */
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

/** A paid pass: it starts when earlier grants of the same tier that do not renew have ended. */
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
    reversals: [],
    asOf: paidAt,
    version: 1,
  }
}

/**
 * The grant after its end by the operator, or null if it gives nothing more anyway. It is `ended`, so no later event of
 * the provider revives it; one that has not started gives nothing.
 */
export function endedGrant(grant: StoredGrant, now: number): StoredGrant | null {
  if (heldUntil(grant) <= now) return null
  return {
    ...grant,
    status: 'ended',
    periodEnd: Math.max(grant.periodStart, Math.min(grant.periodEnd, now)),
    renews: false,
    graceUntil: null,
    nextTier: null,
    version: grant.version + 1,
  }
}

/** Whether paid or redeemed time waits for it: a licence or a plan runs beside them, and can be revoked. */
function isStacked({ source, renews }: StoredGrant): boolean {
  return source === 'pass' || source === 'code' || (source === 'subscription' && !renews)
}

/** When time of a tier starts that is paid or redeemed now: after what is paid or redeemed already. */
export function startAfter(grants: readonly StoredGrant[], tier: Tier, now: number): number {
  const running = grants.filter((grant) => grant.tier === tier && isStacked(grant) && grant.reversals.length === 0)
  return running.reduce((start, { periodEnd }) => Math.max(start, periodEnd), now)
}
