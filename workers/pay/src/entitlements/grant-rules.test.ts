import { describe, expect, it } from 'vitest'
import { DAY, DID, END, news, START } from './grants.fixture.ts'
import {
  endedGrant,
  foldNews,
  heldUntil,
  passGrant,
  reversedAt,
  type StoredGrant,
  startAfter,
  tierAt,
} from './rules.ts'

const subscription: StoredGrant = {
  id: 'subscription:sub_1',
  did: DID,
  tier: 'provenance',
  nextTier: null,
  source: 'subscription',
  status: 'active',
  periodStart: START,
  periodEnd: END,
  renews: true,
  graceUntil: null,
  subscriptionId: 'sub_1',
  reversals: [],
  asOf: START,
  version: 1,
}
const pass = { intentId: 'i', did: DID, tier: 'provenance', interval: 'month' } as const
const refund = { from: START + DAY, until: START + 2 * DAY, reversed: 'refunded' } as const

describe('what a provider says', () => {
  it('becomes a grant', () => {
    expect(foldNews(null, news())).toEqual(subscription)
  })

  it('counts the versions of a grant, and keeps what was reversed', () => {
    const known = { ...subscription, version: 4, reversals: [refund] }
    expect(foldNews(known, news({ asOf: START + DAY }))).toMatchObject({ version: 5, reversals: [refund] })
  })

  it('of the same second and stage counts if it comes later', () => {
    expect(foldNews(subscription, news({ renews: false }))).toMatchObject({ renews: false, version: 2 })
  })

  it('counts, however old, if it is the current state', () => {
    const known = { ...subscription, asOf: START + 5 * DAY }
    const older = news({ renews: false, asOf: START + DAY })
    expect(foldNews(known, older)).toBeNull()
    expect(foldNews(known, { ...older, isCurrent: false })).toBeNull()
    expect(foldNews(known, { ...older, isCurrent: true })).toMatchObject({ renews: false, asOf: START + 5 * DAY })
  })

  it('raises a tier, if it is old, only by what was paid in the same period', () => {
    const known = { ...subscription, asOf: START + 5 * DAY }
    const older = news({ tier: 'atelier', asOf: START + DAY })
    expect(foldNews(known, older)).toEqual({ ...known, tier: 'atelier', nextTier: 'provenance', version: 2 })
    for (const other of [{ status: 'past_due' }, { status: 'pending' }, { periodStart: START - DAY }] as const) {
      expect(foldNews(known, { ...older, ...other })).toBeNull()
    }
  })

  it('of a pause gives the tier until then and renews nothing', () => {
    const paused = news({ status: 'paused', asOf: START + DAY })
    expect(foldNews(subscription, { ...paused, pausedFrom: START + 3 * DAY })).toMatchObject({
      status: 'past_due',
      graceUntil: START + 3 * DAY,
      renews: false,
    })
    expect(foldNews(subscription, paused)?.graceUntil).toBe(START)
  })

  it('of an end renews nothing, and lowers no tier later', () => {
    const ended = news({ tier: 'notes', status: 'ended', asOf: START + DAY })
    expect(foldNews(subscription, ended)).toMatchObject({
      tier: 'notes',
      nextTier: null,
      status: 'ended',
      renews: false,
      periodEnd: START + DAY,
    })
    expect(foldNews(subscription, { ...ended, endedAt: START + 12 })?.periodEnd).toBe(START + 12)
  })
})

it('holds an ended grant to the end of its period, whatever grace it had', () => {
  expect(heldUntil({ ...subscription, status: 'ended', graceUntil: END + DAY })).toBe(END)
})

describe('a reversal', () => {
  const grant = { ...subscription, reversals: [refund] }

  it.each([
    [START + DAY - 1, null],
    [START + DAY, 'refunded'],
    [START + 2 * DAY - 1, 'refunded'],
    [START + 2 * DAY, null],
  ])('at %i is %s', (now, reversed) => {
    expect(reversedAt(grant, now)).toBe(reversed)
    expect(tierAt(grant, now)).toBe(reversed === null ? 'provenance' : null)
  })
})

describe('a pass', () => {
  it('is a grant that is never renewed', () => {
    expect(passGrant(pass, START, [])).toEqual({
      ...subscription,
      id: 'pass:i',
      source: 'pass',
      renews: false,
      subscriptionId: null,
    })
  })

  it('that is paid twice does not wait for itself', () => {
    const first = passGrant(pass, START, [])
    expect(passGrant(pass, START, [first])).toEqual(first)
  })
})

describe('time that is paid or redeemed', () => {
  const running = { ...subscription, renews: false }

  it.each<[string, Partial<StoredGrant>, boolean]>([
    ['a pass', { source: 'pass' }, true],
    ['a redeemed code', { source: 'code' }, true],
    ['a subscription that ends', {}, true],
    ['a subscription that renews', { renews: true }, false],
    ['a licence', { source: 'licence' }, false],
    ['a pass of another tier', { source: 'pass', tier: 'atelier' }, false],
    ['a pass that was refunded', { source: 'pass', reversals: [refund] }, false],
  ])('beside %s: waits for its end is %s', (_, changed, waits) => {
    expect(startAfter([{ ...running, ...changed }], 'provenance', START + DAY)).toBe(waits ? END : START + DAY)
  })

  it('starts now if all of that has ended, and after the last of it otherwise', () => {
    const other = { ...running, periodEnd: END + DAY }
    expect(startAfter([other, running], 'provenance', START)).toBe(END + DAY)
    expect(startAfter([other, running], 'provenance', END + 2 * DAY)).toBe(END + 2 * DAY)
  })
})

describe('the end by the operator', () => {
  it('ends a grant at once and for good', () => {
    const due: StoredGrant = {
      ...subscription,
      status: 'past_due',
      graceUntil: END + DAY,
      nextTier: 'notes',
      version: 4,
    }
    expect(endedGrant(due, START + DAY)).toEqual({
      ...due,
      status: 'ended',
      periodEnd: START + DAY,
      renews: false,
      graceUntil: null,
      nextTier: null,
      version: 5,
    })
  })

  it('leaves nothing of one that has not started, and lengthens none', () => {
    expect(endedGrant(subscription, START - DAY)).toMatchObject({ periodStart: START, periodEnd: START })
    expect(endedGrant(subscription, END + DAY)).toMatchObject({ periodEnd: END })
  })

  it('changes nothing of one that gives nothing any more', () => {
    const ending = { ...subscription, renews: false }
    expect(endedGrant(ending, END - 1)?.periodEnd).toBe(END - 1)
    expect(endedGrant(ending, END)).toBeNull()
  })
})
