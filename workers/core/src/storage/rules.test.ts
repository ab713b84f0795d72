import { describe, expect, it } from 'vitest'
import { blockRoom, budgetFault, covers, minus, NO_ROOM, plus, stepped, TIER_AGE_MS } from './rules.ts'

const room = (bytes: number, rows: number) => ({ bytes, rows })

describe('room', () => {
  it('adds up', () => {
    expect(plus(room(5, 1), room(2, 3))).toEqual(room(7, 4))
    expect(minus(room(5, 1), room(2, 3))).toEqual(room(3, -2))
    expect(plus(room(5, 1), NO_ROOM)).toEqual(room(5, 1))
    expect(blockRoom(100)).toEqual(room(8_292, 1))
  })

  it.each([
    [room(5, 5), room(5, 5), true],
    [room(6, 6), room(5, 5), true],
    [room(4, 9), room(5, 5), false],
    [room(9, 4), room(5, 5), false],
  ])('%j covers %j: %s', (a, b, expected) => {
    expect(covers(a, b)).toBe(expected)
  })

  it.each([
    [room(0, 0), room(0, 0)],
    [room(1, 1), room(8_388_608, 500)],
    [room(8_388_608, 500), room(8_388_608, 500)],
    [room(8_388_609, 501), room(16_777_216, 1_000)],
  ])('of %j is leased as %j', (asked, leased) => {
    expect(stepped(asked)).toEqual(leased)
  })
})

describe('budgetFault', () => {
  const did = `did:svc:${'PDw8'.repeat(8)}`
  const fault = (used: ReturnType<typeof room>, added: ReturnType<typeof room>) =>
    budgetFault(used, added, { did, tier: 'notes' })
  const refusal = { reason: 'budget_exhausted', did, tier: 'notes' }

  it('fills a budget to the last byte and row', () => {
    expect(fault(room(134_217_720, 0), room(8, 0))).toBeNull()
    expect(fault(room(134_217_720, 0), room(9, 0))).toEqual({
      ...refusal,
      budget: 'storedBytes',
      used: 134_217_720,
      limit: 134_217_728,
    })
    expect(fault(room(0, 19_999), room(0, 1))).toBeNull()
    expect(fault(room(0, 19_999), room(0, 2))).toEqual({
      ...refusal,
      budget: 'storedRows',
      used: 19_999,
      limit: 20_000,
    })
  })

  it('takes what needs no more of a budget that is exceeded', () => {
    const over = room(200_000_000, 30_000)
    expect(fault(over, room(0, 0))).toBeNull()
    expect(fault(over, room(-1, -1))).toBeNull()
    expect(fault(over, room(1, 0))).toMatchObject({ budget: 'storedBytes' })
    expect(fault(over, room(0, 1))).toMatchObject({ budget: 'storedRows' })
  })

  it('has the limits of the tier', () => {
    const used = room(134_217_728, 20_000)
    expect(budgetFault(used, room(1, 1), { did, tier: 'provenance' })).toBeNull()
  })
})

it('takes a tier for a minute without asking again', () => {
  expect(TIER_AGE_MS).toBe(60_000)
})
