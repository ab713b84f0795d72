import { describe, expect, it } from 'vitest'
import { decideSuccessionVeto, type Pending, strengthOf, type Vetoer } from './rules.ts'
import { type Disputed, deadlineOf, decideOpening, mayDispute } from './succession-rules.ts'

/** window < contest < standing, as in production, in small numbers. */
const TIMES = { windowMs: 10, contestMs: 70, standingMs: 300 }
const refused = (reason: string) => ({ ok: false, error: { reason } })
const taken = (value: unknown) => ({ ok: true, value })

const full: Pending = {
  status: 'pending',
  basis: 'full',
  version: 2,
  requestedAt: 0,
  deadline: 10,
  contestedAt: null,
  requiredCosigners: 0,
  cosigners: [],
  approvedAt: null,
}
const withDevice: Pending = { ...full, cosigners: ['a'] }
const alone: Pending = { ...full, basis: 'successor', deadline: 300 }
const replacing: Pending = { ...full, basis: 'replacement', cosigners: ['a'], deadline: 300 }
const forOperator: Pending = { ...full, version: 1, deadline: null }
const approved: Pending = { ...forOperator, approvedAt: 1 }

describe('a request', () => {
  it('weighs as many factors as have signed it, and nothing more while it waits for the operator', () => {
    expect([alone, forOperator, replacing, full, withDevice].map(strengthOf)).toEqual([1, 1, 2, 3, 4])
    expect(strengthOf({ ...alone, cosigners: ['a'] })).toBe(1)
    const root: Pending = { ...full, basis: 'root' }
    expect([root, { ...root, cosigners: ['a'] }].map(strengthOf)).toEqual([1, 2])
    expect(strengthOf({ ...forOperator, cosigners: ['a'] })).toBe(1)
  })

  it('waits a window if root key and successor have signed, and 30 days otherwise', () => {
    expect([deadlineOf('full', 2, 5, TIMES), deadlineOf('root', 2, 5, TIMES)]).toEqual([15, 15])
    expect([deadlineOf('successor', 2, 5, TIMES), deadlineOf('replacement', 2, 5, TIMES)]).toEqual([305, 305])
    expect(deadlineOf('full', 1, 5, TIMES)).toBeNull()
  })
})

describe('decideOpening', () => {
  it.each<[string, Pending | null, Pending, object]>([
    ['beside nothing', null, alone, taken('opens')],
    ['a full one beside a successor alone', alone, full, taken('displaces')],
    ['a full one beside a replacement', replacing, full, taken('displaces')],
    ['a full one beside one for the operator', forOperator, full, taken('displaces')],
    ['three factors beside two', full, withDevice, taken('displaces')],
    ['a replacement beside a successor alone', alone, replacing, taken('displaces')],
    ['a replacement beside another', replacing, replacing, taken('displaces')],
    ['a full one beside a full one', full, full, taken('disputes')],
    ['three factors beside three', withDevice, withDevice, taken('disputes')],
    ['two factors beside three', withDevice, full, refused('rotation_pending')],
    ['a successor alone beside a full one', full, alone, refused('rotation_pending')],
    ['a successor alone beside another', alone, alone, refused('rotation_pending')],
    ['a replacement beside a full one', full, replacing, refused('rotation_pending')],
    ['three factors beside an approved one', approved, withDevice, refused('rotation_pending')],
  ])('%s', (_, pending, wanted, expected) => {
    expect(decideOpening(pending, wanted, 0, true)).toEqual(expected)
  })

  it('does not let the same request again end the first', () => {
    expect(decideOpening(full, full, 0, false)).toEqual(refused('rotation_pending'))
    expect(decideOpening(replacing, replacing, 0, false)).toEqual(refused('rotation_pending'))
    expect(decideOpening(full, withDevice, 0, false)).toEqual(taken('displaces'))
  })

  it.each<[Disputed, Pending, object]>([
    [3, full, refused('rotation_disputed')],
    [3, withDevice, taken('opens')],
    [3, alone, taken('opens')],
    [3, replacing, taken('opens')],
    [4, full, refused('rotation_disputed')],
    [4, withDevice, refused('rotation_disputed')],
    [4, alone, taken('opens')],
  ])('after a dispute of strength %i', (disputed, wanted, expected) => {
    expect(decideOpening(null, wanted, disputed, false)).toEqual(expected)
  })
})

describe('mayDispute', () => {
  it('asks the device against three factors, and nobody else, that it counted before', () => {
    expect(mayDispute({ ...withDevice, eligible: ['a', 'b'] }, ['b'])).toBe(true)
    expect(mayDispute({ ...withDevice, eligible: ['a'] }, ['b'])).toBe(false)
    expect(mayDispute({ ...withDevice, eligible: ['a'] }, ['b', 'a'])).toBe(true)
    expect(mayDispute({ ...full, eligible: [] }, [])).toBe(true)
  })
})

describe('decideSuccessionVeto', () => {
  const device = { isActive: false, hasStanding: false, isWitness: false }
  const strong = { isActive: true, hasStanding: true, isWitness: true }
  const ANY: [string, Vetoer][] = [
    ['the root key', 'root'],
    ['a committed key', 'successor'],
    ['an active device', { ...device, isActive: true }],
    ['a device with standing', { ...device, hasStanding: true }],
    ['a device that had standing at the request', { ...device, isWitness: true }],
  ]

  it.each(ANY)('%s ends what a successor asked alone, and what waits for the operator', (_, by) => {
    for (const request of [alone, forOperator]) expect(decideSuccessionVeto(request, by, 5)).toEqual(taken('stop'))
  })

  it('a device that never counted ends nothing', () => {
    for (const request of [alone, forOperator]) {
      expect(decideSuccessionVeto(request, device, 5)).toEqual(refused('not_eligible'))
    }
  })

  it.each<[string, Vetoer]>([
    ['the root key', 'root'],
    ['a device', strong],
  ])('%s neither ends nor delays what a successor signed with the root key', (_, by) => {
    for (const request of [full, withDevice]) {
      expect(decideSuccessionVeto(request, by, 5)).toEqual(refused('rotation_full'))
    }
    expect(decideSuccessionVeto(replacing, by, 5)).toEqual(refused('rotation_cosigned'))
  })

  it('a committed key delays a full request once, before its deadline, and ends a replacement', () => {
    for (const request of [full, withDevice]) {
      expect(decideSuccessionVeto(request, 'successor', 9)).toEqual(taken('contest'))
      expect(decideSuccessionVeto(request, 'successor', 10)).toEqual(refused('rotation_full'))
      expect(decideSuccessionVeto({ ...request, contestedAt: 1 }, 'successor', 9)).toEqual(refused('rotation_full'))
    }
    expect(decideSuccessionVeto(replacing, 'successor', 299)).toEqual(taken('stop'))
  })
})
