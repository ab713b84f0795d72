import { describe, expect, it } from 'vitest'
import { INTENT_LIFETIME_MS, mayBecome, mayOpen, stateAt, UNPAID_KEPT_MS } from './rules.ts'

const STATES = ['open', 'paid', 'failed', 'expired', 'cancelled'] as const

describe('an event of the provider', () => {
  it('of received money always counts, once', () => {
    expect(STATES.filter((from) => mayBecome(from, 'paid'))).toEqual(['open', 'failed', 'expired', 'cancelled'])
  })

  it('of anything else ends an open intent, and no other', () => {
    for (const to of ['failed', 'expired', 'cancelled'] as const) {
      expect(STATES.filter((from) => mayBecome(from, to))).toEqual(['open'])
    }
  })

  it('opens none again', () => {
    expect(STATES.filter((from) => mayBecome(from, 'open'))).toEqual([])
  })
})

it('reports an open intent as expired from when its page has closed, and leaves every other state', () => {
  expect([999, 1_000, 1_001].map((now) => stateAt('open', 1_000, now))).toEqual(['open', 'expired', 'expired'])
  for (const state of ['paid', 'failed', 'expired', 'cancelled'] as const) {
    expect([stateAt(state, 1_000, 999), stateAt(state, 1_000, 1_000)]).toEqual([state, state])
  }
})

it('opens a page within an hour of the intent, so that it is open for less than 24', () => {
  expect([0, 3_599_999, 3_600_000].map((late) => mayOpen(5, 5 + late))).toEqual([true, true, false])
  expect(INTENT_LIFETIME_MS).toBe(82_800_000)
})

it('keeps an unpaid intent 90 days', () => {
  expect(UNPAID_KEPT_MS).toBe(7_776_000_000)
})
