import { TIER_LIMITS } from '@svc/protocol/pay/tiers'
import { describe, expect, it } from 'vitest'
import {
  checkRoom,
  INTERNAL_KINDS,
  isSameUse,
  limitOf,
  oldestKept,
  periodEnd,
  periodOf,
  reservationState,
} from './rules.ts'

describe('a month', () => {
  it.each([
    [Date.UTC(2026, 10, 1), '2026-11', Date.UTC(2026, 11, 1)],
    [Date.UTC(2026, 10, 30, 23, 59, 59, 999), '2026-11', Date.UTC(2026, 11, 1)],
    [Date.UTC(2026, 11, 31), '2026-12', Date.UTC(2027, 0, 1)],
  ])('of %i is %s', (now, period, end) => {
    expect([periodOf(now), periodEnd(now)]).toEqual([period, end])
  })

  it('has its keys kept for a day after it', () => {
    const end = Date.UTC(2026, 11, 1)
    expect([oldestKept(end + 86_399_999), oldestKept(end + 86_400_000)]).toEqual(['2026-11', '2026-12'])
  })
})

describe('checkRoom', () => {
  const limit = TIER_LIMITS.notes.capsule

  it('fills a meter to its limit, with what is reserved', () => {
    expect(limitOf('notes', 'capsule')).toBe(limit)
    expect(checkRoom({ used: limit - 3, reserved: 2 }, 'capsule', 1, 'notes')).toBeNull()
    expect(checkRoom({ used: limit - 3, reserved: 2 }, 'capsule', 2, 'notes')).toEqual({
      reason: 'quota_exhausted',
      kind: 'capsule',
      used: limit - 1,
      limit,
      tier: 'notes',
    })
  })
})

describe('a reservation', () => {
  it('expires at its time, even if nothing says so', () => {
    const reserved = { state: 'reserved', expiresAt: 1_000 } as const
    expect([999, 1_000].map((now) => reservationState(reserved, now))).toEqual(['reserved', 'expired'])
  })

  it.each(['finalized', 'released', 'expired'] as const)('that is %s stays so', (state) => {
    expect(reservationState({ state, expiresAt: 1_000 }, 1)).toBe(state)
  })

  it.each(['consumed', 'refunded', 'reduced'] as const)('is nothing that is %s', (state) => {
    expect(() => reservationState({ state, expiresAt: 0 }, 1)).toThrow('a consumption cannot be a reservation')
  })
})

it('takes a key for the same use only if kind and amount agree', () => {
  const use = { kind: 'capsule', amount: 2 } as const
  expect(isSameUse(use, 'capsule', 2)).toBe(true)
  expect(isSameUse(use, 'capsule', 3)).toBe(false)
  expect(isSameUse(use, 'video', 2)).toBe(false)
})

it('leaves the meters of provenance to provenance', () => {
  expect([...INTERNAL_KINDS]).toEqual(['capsule'])
})
