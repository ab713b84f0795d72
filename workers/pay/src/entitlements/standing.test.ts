import { GRANT_SOURCES } from '@svc/protocol/pay/entitlements'
import { rankOf, TIERS, type Tier } from '@svc/protocol/pay/tiers'
import { describe, expect, it } from 'vitest'
import { type StoredGrant, tierAt } from './rules.ts'
import { entitlementOf, standingOf } from './standing.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 10, 10)
const END = Date.UTC(2026, 11, 10)

const grant = (changes: Partial<StoredGrant> = {}): StoredGrant => ({
  id: 'subscription:sub_1',
  did: `did:svc:${'A'.repeat(32)}`,
  tier: 'provenance',
  source: 'subscription',
  status: 'active',
  periodStart: START,
  periodEnd: END,
  renews: false,
  graceUntil: null,
  nextTier: null,
  subscriptionId: null,
  reversals: [],
  asOf: START,
  version: 1,
  ...changes,
})

describe('the tier in force', () => {
  it('is the highest of those that hold, and notes where none does', () => {
    const atelier = grant({ tier: 'atelier' })
    expect(standingOf([], START)).toEqual({ tier: 'notes', source: 'signup', from: null, until: null, planUntil: null })
    expect(standingOf([grant({ renews: true }), atelier], START).tier).toBe('atelier')
    expect(standingOf([grant({ renews: true }), atelier], END).tier).toBe('provenance')
  })

  it('is told with what comes after it', () => {
    const renewing = grant({ renews: true })
    expect(entitlementOf([renewing, grant({ tier: 'atelier' })], START)).toMatchObject({
      tier: 'atelier',
      from: START,
      until: END,
      renews: false,
      next: 'provenance',
    })
    expect(entitlementOf([renewing], START)).toMatchObject({ until: END, renews: true, next: 'provenance' })
    expect(entitlementOf([], START)).toMatchObject({ tier: 'notes', source: 'signup', until: null, next: 'notes' })
  })

  it('lasts over grants of that tier that follow each other', () => {
    const second = grant({ id: 'code:2', source: 'code', periodStart: END, periodEnd: END + DAY })
    const apart = grant({ id: 'code:3', source: 'code', periodStart: END + 2 * DAY, periodEnd: END + 3 * DAY })
    expect(standingOf([grant(), second, apart], START)).toMatchObject({ from: START, until: END + DAY })
  })

  it('lasts to the end of the grace where a renewal is due and nothing is heard of it', () => {
    const standing = standingOf([grant({ renews: true })], END + DAY)
    expect(standing).toMatchObject({ tier: 'provenance', until: END + 7 * DAY })
  })

  it('ends where the time begins whose payment went back, and comes again after it', () => {
    const reversals = [{ from: START + DAY, until: START + 2 * DAY, reversed: 'refunded' as const }]
    expect(standingOf([grant({ reversals })], START).until).toBe(START + DAY)
    expect(standingOf([grant({ reversals })], START + DAY).source).toBe('signup')
    expect(standingOf([grant({ reversals })], START + 2 * DAY).until).toBe(END)
  })

  it('is named with the plan of an organization, also where another grant is higher', () => {
    const plan = grant({ id: 'organization:x', source: 'organization', periodEnd: END - DAY })
    const standing = standingOf([plan, grant({ tier: 'atelier' })], START)
    expect(standing).toMatchObject({ tier: 'atelier', source: 'subscription', planUntil: END - DAY })
    expect(standingOf([plan], END - DAY).planUntil).toBe(null)
  })
})

const PAIRS = GRANT_SOURCES.flatMap((one) => GRANT_SOURCES.map((other) => [one, other] as const))

describe('of two sources', () => {
  it.each(PAIRS)('%s and %s, the tier is right on every day, whichever is higher and whichever ends first', (a, b) => {
    for (const [one, other] of tierPairs()) {
      for (const [ends, otherEnds] of [
        [3, 6],
        [6, 3],
        [4, 4],
      ] as const) {
        const grants = [
          grant({ id: 'a', source: a, tier: one, periodEnd: START + ends * DAY }),
          grant({ id: 'b', source: b, tier: other, periodStart: START + DAY, periodEnd: START + otherEnds * DAY }),
        ]
        for (let day = -1; day < 8; day++) expectRight(grants, START + day * DAY)
      }
    }
  })
})

function tierPairs(): (readonly [Tier, Tier])[] {
  return TIERS.flatMap((one) => TIERS.map((other) => [one, other] as const))
}

/** Against the plain reading: the highest grant that holds, until a day on which that says something else. */
function expectRight(grants: readonly StoredGrant[], now: number): void {
  const standing = standingOf(grants, now)
  const [best = null] = heldAt(grants, now)
  expect(standing.tier).toBe(best ?? 'notes')
  expect(standing.source === 'signup').toBe(best === null)
  if (best === null) return
  let until = now
  while (heldAt(grants, until)[0] === best) until += DAY
  expect(standing.until).toBe(until)
}

function heldAt(grants: readonly StoredGrant[], at: number): Tier[] {
  return grants.flatMap((one) => tierAt(one, at) ?? []).toSorted((a, b) => rankOf(b) - rankOf(a))
}
