/**
 * Which tier applies, of all that an identity was given.
 *
 * @module
 */
import type { Standing } from '@svc/protocol/internal/pay'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import { rankOf, TIER_LIMITS, type Tier } from '@svc/protocol/pay/tiers'
import { heldUntil, reversedAt, type StoredGrant, type Terms, tierAt } from './rules.ts'

/**
 * Which tier an identity has now, by which source and until when: the only place that decides it. The highest live grant
 * counts, and of several the one that ends last. `until` is when the tier changes if nothing renews.
 */
export function standingOf(grants: readonly StoredGrant[], now: number): Standing {
  const plans = grants.filter((grant) => grant.source === 'organization' && tierAt(grant, now) !== null)
  const planUntil = plans.length === 0 ? null : Math.max(...plans.map(heldUntil))
  const live = grants.filter((grant) => tierAt(grant, now) !== null)
  const tier = highest(live.map((grant) => tierAt(grant, now) ?? 'notes'))
  const [longest] = live
    .filter((grant) => tierAt(grant, now) === tier)
    .toSorted((a, b) => certainUntil(b, now) - certainUntil(a, now))
  if (!longest) return { tier, source: 'signup', from: null, until: null, planUntil }
  return { tier, source: longest.source, from: longest.periodStart, until: tierUntil(grants, tier, now), planUntil }
}

/** When a grant ends, not counting on a renewal that is still to come. */
function certainUntil(grant: Terms, now: number): number {
  const isDue = grant.renews && grant.status === 'active' && now < grant.periodEnd
  return isDue ? grant.periodEnd : heldUntil(grant)
}

/** The first time at which the highest tier is another, or none. */
function tierUntil(grants: readonly StoredGrant[], tier: Tier, now: number): number {
  const changes = grants.flatMap((grant) => [
    grant.periodStart,
    grant.periodEnd,
    certainUntil(grant, now),
    ...grant.reversals.flatMap(({ from, until }) => [from, until]),
  ])
  const later = changes.filter((at) => at > now).toSorted((a, b) => a - b)
  const end = later.find((at) => {
    const held = grants.filter((grant) => at < certainUntil(grant, now)).flatMap((grant) => tierAt(grant, at) ?? [])
    return held.length === 0 || highest(held) !== tier
  })
  return end ?? now
}

/** What the owner sees. */
export function entitlementOf(grants: readonly StoredGrant[], now: number): Entitlement {
  const { planUntil: _, ...standing } = standingOf(grants, now)
  const { tier, until } = standing
  const shown = grants.filter((grant) => heldUntil(grant) > now).map((grant) => grantOf(grant, now))
  const renews = grants.some((grant) => tierAt(grant, now) === tier && grant.renews && grant.status === 'active')
  const next = until === null ? tier : tierAfter(grants, until)
  return { ...standing, renews, next, limits: TIER_LIMITS[tier], grants: shown }
}

/** The tier from a time on, assuming that renewing grants renew and the others end. */
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

export function grantOf(grant: StoredGrant, now: number): Grant {
  const { id, tier, source, periodStart, periodEnd, renews, graceUntil, nextTier } = grant
  const reversed = reversedAt(grant, Math.max(now, periodStart))
  return { id, tier, source, periodStart, periodEnd, renews, graceUntil, nextTier, reversed }
}
