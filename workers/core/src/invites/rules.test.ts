import { describe, expect, it } from 'vitest'
import {
  DECIDED_MS,
  type Decision,
  HOLD_MS,
  OPEN_MS,
  REDEEMABLE_MS,
  refusalOf,
  type Standing,
  stateOf,
} from './rules.ts'

const approved: Decision = { decision: 'approved', tier: 'notes', days: 90 }
const declined: Decision = { decision: 'declined', mails: true }

it('keeps an open request 90 days, a decided one 30, and a code 90', () => {
  expect([OPEN_MS, DECIDED_MS, REDEEMABLE_MS]).toEqual([7_776_000_000, 2_592_000_000, 7_776_000_000])
  expect(HOLD_MS).toBe(60_000)
})

it.each<[Standing['decided'], number | null, string]>([
  [null, null, 'open'],
  [approved, null, 'approving'],
  [approved, 0, 'approved'],
  [declined, null, 'declining'],
  [declined, 0, 'declined'],
])('with the decision %j, carried out at %j, a request is %s', (decided, doneAt, state) => {
  expect(stateOf({ decided, doneAt })).toBe(state)
})

describe('the same decision again', () => {
  it.each([approved, declined])('%j waits for the first to be carried out, and then stands', (decided) => {
    expect(refusalOf({ decided, doneAt: null }, { ...decided })).toEqual({ reason: 'invite_under_way' })
    expect(refusalOf({ decided, doneAt: 0 }, { ...decided })).toBeNull()
  })
})

describe('another decision', () => {
  it.each<[Decision | null, Decision]>([
    [approved, { ...approved, tier: 'atelier' }],
    [approved, { ...approved, days: 91 }],
    [approved, declined],
    [declined, { ...declined, mails: false }],
    [declined, approved],
    [null, approved],
  ])('after %j, %j is refused', (decided, wanted) => {
    for (const doneAt of [null, 0]) {
      expect(refusalOf({ decided, doneAt }, wanted)).toEqual({ reason: 'invite_decided' })
    }
  })
})
