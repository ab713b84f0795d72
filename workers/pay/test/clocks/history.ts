/**
 * What happened to a customer at the provider, and the tier that is right because of it. Written from the page on
 * payments, and not from the code: the tests compare the two.
 */
import { rankOf, type Tier } from '@svc/protocol/pay/tiers'

const GRACE_MS = 7 * 86_400_000

/** A period of a subscription, as it was charged. */
export interface Period {
  readonly start: number
  readonly end: number
  /** The plans in it, each from its time on. The first is from the start. */
  readonly plans: { readonly from: number; readonly tier: Tier }[]
  /** When it was paid; a trial is paid by nobody and counts as paid. */
  paidAt: number | null
  /** The charge that paid it. */
  charge: string | null
}

export interface History {
  readonly id: string
  readonly periods: Period[]
  /** Whether it ends with its period. */
  cancels: boolean
  endedAt: number | null
}

/** What was done to a charge, newest last. */
export type ChargeState = 'stands' | 'refunded' | 'disputed'

/** What the service must tell at a time; `given` is what an operator gave besides. */
export function rightAt(
  histories: readonly History[],
  charges: ReadonlyMap<string, ChargeState>,
  given: readonly Tier[],
  now: number,
): { readonly tier: Tier; readonly renews: boolean } {
  const tier = highest([...histories.flatMap((history) => tierOf(history, charges, now) ?? []), ...given])
  const renews = histories.some((history) => {
    const isPaid = history.periods.some(({ start, end, paidAt }) => start <= now && now < end && paidAt !== null)
    return isPaid && !history.cancels && tierOf(history, charges, now) === tier
  })
  return { tier, renews }
}

function highest(tiers: readonly Tier[]): Tier {
  return tiers.reduce<Tier>((best, tier) => (rankOf(tier) > rankOf(best) ? tier : best), 'notes')
}

function tierOf({ periods, endedAt }: History, charges: ReadonlyMap<string, ChargeState>, now: number): Tier | null {
  const period = periods.find(({ start, end }) => now >= start && now < end)
  if (!period || (endedAt !== null && now >= endedAt)) return null
  const isPaid = period.paidAt !== null && period.paidAt <= now
  if (!isPaid && now >= period.start + GRACE_MS) return null
  if (period.charge !== null && (charges.get(period.charge) ?? 'stands') !== 'stands') return null
  // What was paid runs to the end of the period, so a lower plan counts from the next one.
  const begun = period.plans.filter(({ from }) => from <= now).map(({ tier }) => tier)
  return begun.reduce((best, tier) => (rankOf(tier) > rankOf(best) ? tier : best))
}
