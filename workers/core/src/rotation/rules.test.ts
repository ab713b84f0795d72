import { userIdOf } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import {
  areOrdered,
  checkActivation,
  checkCosign,
  checkDue,
  contestedDeadline,
  decideVeto,
  isFlooded,
  isOvertakable,
  mayAnyoneActivate,
  mayApprove,
  mayOpen,
  mayReopen,
  type Rotation,
  type Vetoer,
} from './rules.ts'

const key = (byte: number) => new Uint8Array(1952).fill(byte)
const DEADLINE = 86_400_000
const rotation: Rotation = {
  rotationId: 'b1'.repeat(48),
  kind: 'rotation',
  status: 'pending',
  basis: 'root',
  version: 2,
  epoch: 4,
  newUserId: userIdOf(key(2)),
  requestedAt: 0,
  deadline: DEADLINE,
  contestedAt: null,
  requiredCosigners: 0,
  eligible: [],
  witnesses: [],
  cosigners: [],
  freezes: 0,
  cancels: 0,
  approvedAt: null,
  activatedAt: null,
}
const TAKEN = { ok: true, value: undefined }
const refused = (error: object) => ({ ok: false, error })

/** window < contest < standing, as in production, in small numbers. */
const TIMES = { windowMs: 10, contestMs: 70, standingMs: 300 }

const cosigned = { basis: 'root', cosigners: ['a'], approvedAt: null } as const
const approved = { basis: 'root', cosigners: [], approvedAt: 1 } as const
const plain = { basis: 'root', cosigners: [], approvedAt: null } as const

it('waits in order: window, contest, standing', () => {
  expect(areOrdered(TIMES)).toBe(true)
  for (const times of [{ windowMs: 70 }, { windowMs: 71 }, { contestMs: 300 }, { contestMs: 301 }]) {
    expect(areOrdered({ ...TIMES, ...times })).toBe(false)
  }
})

describe('opening', () => {
  it('is possible 100 times in a period without a co-signature', () => {
    expect([isFlooded(99), isFlooded(100), isFlooded(101)]).toEqual([false, true, true])
  })

  it('is possible beside nothing, and with a co-signature beside what has none', () => {
    expect([mayOpen(null, false), mayOpen(null, true)]).toEqual([true, true])
    expect([mayOpen(plain, false), mayOpen(plain, true)]).toEqual([false, true])
    for (const strong of [cosigned, approved]) {
      expect([mayOpen(strong, false), mayOpen(strong, true), isOvertakable(strong)]).toEqual([false, false, false])
      expect(mayAnyoneActivate(strong)).toBe(true)
    }
    for (const basis of ['successor', 'replacement', 'full'] as const) {
      expect(mayAnyoneActivate({ ...plain, basis })).toBe(true)
    }
    expect([isOvertakable(null), isOvertakable(plain), mayAnyoneActivate(plain)]).toEqual([true, true, false])
  })

  it.each(['frozen', 'cancelled', 'displaced'] as const)(
    'is possible again for what was %s without a co-signature',
    (status) => {
      expect(mayReopen({ ...rotation, status })).toBe(true)
      expect(mayReopen({ ...rotation, status, cosigners: ['a'] })).toBe(false)
      expect(mayReopen({ ...rotation, status, version: 1 })).toBe(false)
      expect(mayReopen({ ...rotation, status, basis: 'successor' })).toBe(false)
      expect(mayReopen({ ...rotation, status, basis: 'full' })).toBe(true)
    },
  )

  it.each(['pending', 'active'] as const)('is not possible again for what is %s', (status) => {
    expect(mayReopen({ ...rotation, status })).toBe(false)
  })
})

describe('decideVeto', () => {
  const device = (rights: Partial<Exclude<Vetoer, 'root' | 'successor'>>): Vetoer => ({
    isActive: false,
    hasStanding: false,
    isWitness: false,
    ...rights,
  })
  const ANY: [string, Vetoer][] = [
    ['the root key', 'root'],
    ['an active device', device({ isActive: true })],
    ['a device with standing', device({ hasStanding: true })],
    ['a device that had standing at the request', device({ isWitness: true })],
  ]

  it.each(ANY)('lets %s stop what has no co-signature', (_, by) => {
    for (const version of [1, 2] as const) {
      expect(decideVeto({ ...rotation, version }, by, DEADLINE + 1)).toEqual({ ok: true, value: 'stop' })
    }
  })

  it('lets only devices that had standing at the request stop what is co-signed', () => {
    const request = { ...rotation, cosigners: ['a'] }
    expect(decideVeto(request, device({ isWitness: true }), DEADLINE + 1)).toEqual({ ok: true, value: 'stop' })
    const late = device({ isActive: true, hasStanding: true })
    expect(decideVeto(request, late, 0)).toEqual(refused({ reason: 'not_eligible' }))
  })

  it('lets the root key contest what is co-signed, once and before its deadline', () => {
    const request = { ...rotation, cosigners: ['a'] }
    expect(decideVeto(request, 'root', DEADLINE - 1)).toEqual({ ok: true, value: 'contest' })
    expect(contestedDeadline({ requestedAt: 5 }, TIMES)).toBe(75)
    expect(decideVeto(request, 'root', DEADLINE)).toEqual(refused({ reason: 'rotation_cosigned' }))
    expect(decideVeto({ ...request, contestedAt: 1 }, 'root', 2)).toEqual(refused({ reason: 'rotation_cosigned' }))
  })

  it.each(ANY)('does not let %s stop what an operator approved', (_, by) => {
    const request = { ...rotation, version: 1, approvedAt: 1 } as const
    expect(decideVeto(request, by, 2)).toEqual(refused({ reason: 'rotation_approved' }))
  })

  it('refuses a device with no right', () => {
    expect(decideVeto(rotation, device({}), 0)).toEqual(refused({ reason: 'not_eligible' }))
  })

  it('refuses a committed key on what it had no part in', () => {
    for (const cosigners of [[], ['a']]) {
      expect(decideVeto({ ...rotation, cosigners }, 'successor', 0)).toEqual(refused({ reason: 'not_eligible' }))
    }
  })

  it('asks the rules of the succession on what a committed key is needed for', () => {
    const request = { ...rotation, basis: 'full', cosigners: ['a'] } as const
    expect(decideVeto(request, 'successor', DEADLINE - 1)).toEqual({ ok: true, value: 'contest' })
    expect(decideVeto(request, 'root', DEADLINE - 1)).toEqual(refused({ reason: 'rotation_full' }))
    expect(decideVeto(request, device({ isWitness: true }), 0)).toEqual(refused({ reason: 'rotation_full' }))
  })

  it.each(['active', 'frozen', 'cancelled', 'displaced'] as const)('refuses on a rotation that is %s', (status) => {
    expect(decideVeto({ ...rotation, status }, 'root', 0)).toEqual(refused({ reason: 'rotation_not_pending', status }))
  })
})

describe('checkActivation', () => {
  const activation = (changes: Partial<Rotation>, now = DEADLINE) =>
    checkActivation({ ...rotation, ...changes }, 3, now)

  it('of version 2 is possible at the deadline and not a millisecond earlier', () => {
    expect(activation({}, DEADLINE - 1)).toEqual(refused({ reason: 'rotation_window_open', deadline: DEADLINE }))
    expect(activation({}, DEADLINE)).toEqual(TAKEN)
    expect(activation({}, DEADLINE + 1)).toEqual(TAKEN)
  })

  it('of version 2 without a deadline is never possible', () => {
    expect(activation({ deadline: null }, 5)).toEqual(refused({ reason: 'rotation_window_open', deadline: 5 }))
  })

  it('of version 1 waits for an operator, not for a deadline', () => {
    const v1 = { version: 1, deadline: null } as const
    expect(activation(v1)).toEqual(refused({ reason: 'rotation_unapproved' }))
    expect(activation({ ...v1, approvedAt: 0 }, 0)).toEqual(TAKEN)
  })

  it('of version 2 ignores an approval', () => {
    expect(activation({ approvedAt: 1 }, DEADLINE - 1)).toMatchObject({ error: { reason: 'rotation_window_open' } })
  })

  it.each(['active', 'frozen', 'cancelled', 'displaced'] as const)('rejects a rotation that is %s', (status) => {
    expect(activation({ status })).toEqual(refused({ reason: 'rotation_not_pending', status }))
    const v1 = { status, version: 1, deadline: null, approvedAt: 1 } as const
    expect(activation(v1)).toEqual(refused({ reason: 'rotation_not_pending', status }))
  })

  it.each([3, 5])('rejects epoch %i after epoch 3', (epoch) => {
    expect(activation({ epoch })).toEqual(refused({ reason: 'stale_epoch', epoch: 3 }))
    expect(activation({ epoch, status: 'frozen' })).toEqual(
      refused({ reason: 'rotation_not_pending', status: 'frozen' }),
    )
  })

  it('is due, in any epoch, only while it is pending', () => {
    expect(checkDue(rotation, DEADLINE)).toEqual(TAKEN)
    expect(checkDue({ ...rotation, status: 'cancelled' }, DEADLINE)).toEqual(
      refused({ reason: 'rotation_not_pending', status: 'cancelled' }),
    )
  })

  it('needs the co-signature that was required at the request, early or late', () => {
    const needing = { requiredCosigners: 1, eligible: ['a', 'b'] }
    expect(activation(needing)).toEqual(refused({ reason: 'cosigner_required' }))
    expect(activation({ ...needing, cosigners: ['a'] })).toEqual(TAKEN)
    expect(activation({ ...needing, cosigners: ['a'] }, DEADLINE - 1)).toMatchObject({
      error: { reason: 'rotation_window_open' },
    })
  })
})

describe('checkCosign', () => {
  const waiting = { ...rotation, eligible: ['a'], requiredCosigners: 1 }

  it('accepts a device that could co-sign at the request, and no other', () => {
    expect(checkCosign(waiting, 'a')).toEqual(TAKEN)
    expect(checkCosign(waiting, 'b')).toEqual(refused({ reason: 'not_eligible' }))
  })

  it('rejects a co-signature for version 1, which an operator decides', () => {
    const v1 = { ...waiting, version: 1, deadline: null, requiredCosigners: 0 } as const
    expect(checkCosign(v1, 'a')).toEqual(refused({ reason: 'not_eligible' }))
  })

  it('rejects a co-signature for what a successor asked alone', () => {
    expect(checkCosign({ ...waiting, basis: 'successor' }, 'a')).toEqual(refused({ reason: 'not_eligible' }))
    expect(checkCosign({ ...waiting, basis: 'full' }, 'a')).toEqual(TAKEN)
  })

  it.each(['active', 'frozen', 'cancelled', 'displaced'] as const)(
    'rejects one for a rotation that is %s',
    (status) => {
      expect(checkCosign({ ...waiting, status }, 'a')).toEqual(refused({ reason: 'rotation_not_pending', status }))
    },
  )
})

describe('an approval', () => {
  it('is for version 1, in any state but active', () => {
    for (const status of ['pending', 'frozen', 'cancelled', 'displaced'] as const) {
      expect([mayApprove({ version: 1, status }), mayApprove({ version: 2, status })]).toEqual([true, false])
    }
    expect(mayApprove({ version: 1, status: 'active' })).toBe(false)
  })
})
