import { describe, expect, it } from 'vitest'
import { DAY, DID, END, news, START } from './grants.fixture.ts'
import {
  addInterval,
  foldNews,
  GRACE_MS,
  heldUntil,
  passGrant,
  type StoredGrant,
  type SubscriptionNews,
  tierAt,
} from './rules.ts'

const grant = (changes: Partial<SubscriptionNews> = {}): StoredGrant => foldNews(null, news(changes))!
const after = (first: StoredGrant, ...later: Partial<SubscriptionNews>[]): StoredGrant =>
  later.reduce((known, changes) => foldNews(known, news(changes)) ?? known, first)

describe('a grant', () => {
  it('keeps a higher tier of its period that is heard of after a lower one', () => {
    const [higher, lower] = [{ tier: 'atelier', asOf: START + DAY }, { asOf: START + 2 * DAY }] as const
    const inOrder = after(grant(), higher, lower)
    const late = after(grant(), lower, higher)
    for (const known of [inOrder, late]) {
      expect([tierAt(known, START + 3 * DAY), tierAt(known, END)]).toEqual(['atelier', 'provenance'])
    }
    expect(after(late, { periodStart: END, periodEnd: END + 30 * DAY, asOf: END }, higher).tier).toBe('provenance')
  })

  it('gives its tier from the start of its period to its end, and not a moment longer', () => {
    const ending = grant({ renews: false })
    expect([START - 1, START, END - 1, END].map((now) => tierAt(ending, now))).toEqual([
      null,
      'provenance',
      'provenance',
      null,
    ])
  })

  it('that renews is held for the grace while no news of its renewal comes', () => {
    expect(tierAt(grant(), END + GRACE_MS - 1)).toBe('provenance')
    expect(tierAt(grant(), END + GRACE_MS)).toBe(null)
  })

  it('that was not renewed for want of money is held for the grace of seven days', () => {
    const due = after(grant(), { status: 'past_due', periodStart: END, periodEnd: END + 30 * DAY, asOf: END + DAY })
    expect(due.graceUntil).toBe(END + 7 * DAY)
    expect(tierAt(due, END + 7 * DAY - 1)).toBe('provenance')
    expect(tierAt(due, END + 7 * DAY)).toBe(null)
    const paid = after(due, { periodStart: END, periodEnd: END + 30 * DAY, asOf: END + 9 * DAY })
    expect(tierAt(paid, END + 20 * DAY)).toBe('provenance')
  })

  it('that ends for want of money ends with its grace, whenever that is said', () => {
    const due = after(grant(), { status: 'past_due', periodStart: END, periodEnd: END + 30 * DAY, asOf: END + DAY })
    const ended = { status: 'ended', periodStart: END, periodEnd: END + 30 * DAY } as const
    const late = after(due, { ...ended, endedAt: END + 20 * DAY, asOf: END + 20 * DAY })
    expect(heldUntil(late)).toBe(END + 7 * DAY)
    const early = after(due, { ...ended, endedAt: END + 2 * DAY, asOf: END + 2 * DAY })
    expect(heldUntil(early)).toBe(END + 2 * DAY)
  })
})

describe('news of a subscription', () => {
  it('that is not paid yet gives nothing', () => {
    expect(foldNews(null, news({ status: 'pending' }))).toBe(null)
    expect(foldNews(grant(), news({ status: 'pending', asOf: START + DAY }))).toBe(null)
  })

  it('that is older than what is known changes nothing', () => {
    const known = grant({ asOf: START + DAY, renews: false })
    expect(foldNews(known, news({ asOf: START + DAY - 1 }))).toBe(null)
  })

  it('of the same second goes by the period, then by how far the subscription is', () => {
    const known = grant()
    expect(foldNews(known, news({ periodEnd: END - 1 }))).toBe(null)
    expect(foldNews(known, news({ periodEnd: END + 30 * DAY }))?.periodEnd).toBe(END + 30 * DAY)
    const due = after(known, { status: 'past_due' })
    expect(due.status).toBe('past_due')
    expect(foldNews(due, news())).toBe(null)
  })

  it('comes to the same in any order', () => {
    const steps: Partial<SubscriptionNews>[] = [
      {},
      { asOf: START + DAY, renews: false },
      { asOf: START + 2 * DAY, renews: true },
      { asOf: END, periodStart: END, periodEnd: END + 30 * DAY },
      { asOf: END + DAY, periodStart: END, periodEnd: END + 30 * DAY, status: 'past_due' },
    ]
    const outcomes = permutations(steps).map(([first = {}, ...rest]) => {
      const { version: _, ...known } = after(grant(first), ...rest)
      return JSON.stringify(known)
    })
    expect(new Set(outcomes).size).toBe(1)
  })

  it('after the end changes nothing, and the end may come first of all', () => {
    const ended = foldNews(null, news({ status: 'ended', endedAt: START + DAY, asOf: START + DAY }))!
    expect(heldUntil(ended)).toBe(START + DAY)
    expect(foldNews(ended, news({ asOf: START + 2 * DAY }))).toBe(null)
    expect(foldNews(ended, news())).toBe(null)
  })

  it('about another owner changes nothing', () => {
    expect(foldNews(grant(), news({ did: `did:svc:${'B'.repeat(32)}`, asOf: END }))).toBe(null)
  })

  it('of a lower tier takes effect when what was paid has ended, of a higher one at once', () => {
    const down = after(grant({ tier: 'atelier' }), { asOf: START + DAY })
    expect([down.tier, down.nextTier]).toEqual(['atelier', 'provenance'])
    expect(tierAt(down, END - 1)).toBe('atelier')
    expect(tierAt(down, END)).toBe('provenance')
    const renewed = after(down, { asOf: END, periodStart: END, periodEnd: END + 30 * DAY })
    expect([renewed.tier, renewed.nextTier]).toEqual(['provenance', null])
    const up = after(grant(), { tier: 'atelier', asOf: START + DAY })
    expect([up.tier, up.nextTier]).toEqual(['atelier', null])
    expect(after(down, { tier: 'atelier', asOf: START + 2 * DAY }).nextTier).toBe(null)
  })
})

describe('a pass', () => {
  const pass = { intentId: 'i', did: DID, tier: 'provenance', interval: 'month' } as const

  it('covers a month from its payment, or from the end of what runs already', () => {
    expect(passGrant(pass, START, [])).toMatchObject({ periodStart: START, periodEnd: END, renews: false })
    const running = { ...passGrant(pass, START, []), id: 'pass:other' }
    expect(passGrant(pass, START + DAY, [running])).toMatchObject({
      periodStart: END,
      periodEnd: addInterval(END, 'month'),
    })
    expect(passGrant(pass, START + DAY, [grant()]).periodStart).toBe(START + DAY)
  })

  it.each([
    [[2026, 0, 31], 'month', [2026, 1, 28]],
    [[2028, 0, 31], 'month', [2028, 1, 29]],
    [[2028, 1, 29], 'year', [2029, 1, 28]],
    [[2026, 11, 15], 'month', [2027, 0, 15]],
  ] as const)('from %j for a %s ends on %j', ([y, m, d], interval, [year, month, day]) => {
    expect(addInterval(Date.UTC(y, m, d, 13), interval)).toBe(Date.UTC(year, month, day, 13))
  })
})

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, i) => permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]))
}
