import { encodeBase64url } from '@svc/protocol/base64url'
import { userIdOf } from '@svc/protocol/identity'
import { describe, expect, it } from 'vitest'
import type { IdentityRecord } from '../identity/identity.ts'
import { checkActivation, checkCosign, checkRequest, checkVeto, cosignersOf, type Rotation } from './rotation.ts'

const key = (byte: number) => new Uint8Array(1952).fill(byte)
const current = { epoch: 3, userId: userIdOf(key(1)), publicKey: key(1), activatedAt: 1_000 }
const identity: IdentityRecord = {
  did: `did:svc:${'A'.repeat(32)}`,
  scope: 'a0'.repeat(48),
  createdAt: 0,
  current,
  deactivatedAt: null,
}
const DEADLINE = 86_400_000
const rotation: Rotation = {
  rotationId: 'b1'.repeat(48),
  status: 'pending',
  version: 2,
  epoch: 4,
  newUserId: userIdOf(key(2)),
  requestedAt: 0,
  deadline: DEADLINE,
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

describe('checkRequest', () => {
  const statement = {
    did: identity.did,
    scope: identity.scope,
    version: 2 as const,
    epoch: 4,
    newPublicKeyB64u: encodeBase64url(key(2)),
  }
  const open = { acceptsV2: true, windowMs: DEADLINE }
  const isKnown = (userId: string) => userId === current.userId

  it('takes the epoch after the current one, signed by the current key, for a key that is new', () => {
    expect(checkRequest(identity, null, statement, current.userId, open, isKnown)).toEqual(TAKEN)
    const v1 = { ...statement, version: 1 as const }
    expect(checkRequest(identity, null, v1, current.userId, open, isKnown)).toEqual(TAKEN)
  })

  it.each<[string, Partial<typeof statement>, object]>([
    ['another DID', { did: `did:svc:${'B'.repeat(32)}` }, { reason: 'owner_mismatch' }],
    ['another scope of the same DID', { scope: `${'a0'.repeat(24)}${'00'.repeat(24)}` }, { reason: 'owner_mismatch' }],
    ['the current epoch', { epoch: 3 }, { reason: 'stale_epoch', epoch: 3 }],
    ['an epoch too far', { epoch: 5 }, { reason: 'stale_epoch', epoch: 3 }],
    ['the current key', { newPublicKeyB64u: encodeBase64url(key(1)) }, { reason: 'key_in_use' }],
  ])('refuses %s', (_, members, error) => {
    const request = { ...statement, ...members }
    expect(checkRequest(identity, null, request, current.userId, open, isKnown)).toEqual(refused(error))
  })

  it('refuses a key that was the root before', () => {
    expect(checkRequest(identity, null, statement, current.userId, open, () => true)).toEqual(
      refused({ reason: 'key_in_use' }),
    )
  })

  it('refuses a signer who is the root no more', () => {
    expect(checkRequest(identity, null, statement, userIdOf(key(7)), open, isKnown)).toEqual(
      refused({ reason: 'key_superseded' }),
    )
  })

  it('refuses version 2, and version 2 alone, while its gate is closed', () => {
    const closed = { ...open, acceptsV2: false }
    expect(checkRequest(identity, null, statement, current.userId, closed, isKnown)).toEqual(
      refused({ reason: 'rotation_v2_disabled' }),
    )
    const v1 = { ...statement, version: 1 as const }
    expect(checkRequest(identity, null, v1, current.userId, closed, isKnown)).toEqual(TAKEN)
  })

  it('refuses a second one and names the first', () => {
    expect(checkRequest(identity, rotation, statement, current.userId, open, isKnown)).toEqual(
      refused({ reason: 'rotation_pending', rotationId: rotation.rotationId }),
    )
  })
})

describe('cosignersOf', () => {
  const WINDOW = 1_000
  const NOW = 10_000
  type Span = [since: number | null, until: number | null]
  const of = (version: 1 | 2, ...spans: Span[]) =>
    cosignersOf(
      version,
      spans.map(([since, until], i) => ({ deviceId: `d${i}`, since, until })),
      NOW,
      WINDOW,
    )

  it.each<[string, Span[], string[], 0 | 1]>([
    ['no device', [], [], 0],
    ['a device that never could', [[null, null]], [], 0],
    ['a device that could for a window', [[9_000, null]], ['d0'], 1],
    ['a device that could for a millisecond less', [[9_001, null]], [], 0],
    [
      'an old and a new one',
      [
        [0, null],
        [9_999, null],
      ],
      ['d0'],
      1,
    ],
    [
      'three',
      [
        [0, null],
        [1, null],
        [2, null],
      ],
      ['d0', 'd1', 'd2'],
      1,
    ],
    ['one that was stopped a moment ago', [[0, 9_999]], [], 1],
    ['one that was stopped less than a window ago', [[0, 9_001]], [], 1],
    ['one that was stopped a window ago', [[0, 9_000]], [], 0],
    ['one that was stopped before it could for a window', [[9_000, 9_999]], [], 0],
    ['one that was stopped once it could for a window', [[8_500, 9_500]], [], 1],
    [
      'one that came back a moment ago',
      [
        [0, 9_500],
        [9_990, null],
      ],
      [],
      1,
    ],
  ])('of %s', (_, spans, eligible, required) => {
    expect(of(2, ...spans)).toEqual({ eligible, required })
  })

  it('needs none for version 1', () => {
    expect(of(1, [0, null]).required).toBe(0)
  })
})

describe('checkActivation', () => {
  const all = () => true
  const activation = (changes: Partial<Rotation>, now = DEADLINE, isActive: (id: string) => boolean = all) =>
    checkActivation({ ...rotation, ...changes }, 3, isActive, now)

  it('of version 2 begins at the deadline and not a millisecond before', () => {
    expect(activation({}, DEADLINE - 1)).toEqual(refused({ reason: 'rotation_window_open', deadline: DEADLINE }))
    expect(activation({}, DEADLINE)).toEqual(TAKEN)
    expect(activation({}, DEADLINE + 1)).toEqual(TAKEN)
  })

  it('of version 2 without a deadline never begins', () => {
    expect(activation({ deadline: null }, 5)).toEqual(refused({ reason: 'rotation_window_open', deadline: 5 }))
  })

  it('of version 1 waits for an operator and for no time', () => {
    const v1 = { version: 1, deadline: null } as const
    expect(activation(v1)).toEqual(refused({ reason: 'rotation_unapproved' }))
    expect(activation({ ...v1, approvedAt: 0 }, 0)).toEqual(TAKEN)
  })

  it('of version 2 is not helped by an approval', () => {
    expect(activation({ approvedAt: 1 }, DEADLINE - 1)).toMatchObject({ error: { reason: 'rotation_window_open' } })
  })

  it.each(['active', 'frozen', 'cancelled'] as const)('refuses what is %s', (status) => {
    expect(activation({ status })).toEqual(refused({ reason: 'rotation_not_pending', status }))
    const approved = { status, version: 1, deadline: null, approvedAt: 1 } as const
    expect(activation(approved)).toEqual(refused({ reason: 'rotation_not_pending', status }))
  })

  it.each([{ freezes: 1 }, { cancels: 1 }])('refuses what is pending by its status and vetoed by %j', (vetoes) => {
    expect(activation(vetoes)).toEqual(refused({ reason: 'rotation_not_pending', status: 'pending' }))
  })

  it.each([3, 5])('refuses epoch %i after epoch 3', (epoch) => {
    expect(activation({ epoch })).toEqual(refused({ reason: 'stale_epoch', epoch: 3 }))
  })

  it('counts co-signers who may still co-sign', () => {
    const needing = { requiredCosigners: 1, eligible: ['a', 'b'] }
    expect(activation(needing)).toEqual(refused({ reason: 'cosigner_required' }))
    expect(activation({ ...needing, cosigners: ['a'] })).toEqual(TAKEN)
    expect(activation({ ...needing, cosigners: ['a'] }, DEADLINE, (id) => id === 'b')).toEqual(
      refused({ reason: 'cosigner_required' }),
    )
    expect(activation({ ...needing, cosigners: ['a', 'b'] }, DEADLINE, (id) => id === 'b')).toEqual(TAKEN)
  })

  it('is not brought forward by co-signers', () => {
    const signed = { requiredCosigners: 1, eligible: ['a'], cosigners: ['a'] }
    expect(activation(signed, DEADLINE - 1)).toMatchObject({ error: { reason: 'rotation_window_open' } })
  })
})

describe('checkVeto', () => {
  it('takes three freezes by one key and refuses the fourth', () => {
    for (const recent of [0, 1, 2]) expect(checkVeto(rotation, false, recent)).toEqual(TAKEN)
    for (const recent of [3, 4]) expect(checkVeto(rotation, false, recent)).toEqual(refused({ reason: 'veto_limit' }))
  })

  it('counts no cancellation: what the root key asked for it may always take back', () => {
    for (const recent of [0, 3, 100]) expect(checkVeto(rotation, true, recent)).toEqual(TAKEN)
  })

  it.each(['active', 'frozen', 'cancelled'] as const)('refuses one against what is %s, whoever is left', (status) => {
    for (const isCancel of [true, false]) {
      expect(checkVeto({ ...rotation, status }, isCancel, 3)).toEqual(
        refused({ reason: 'rotation_not_pending', status }),
      )
    }
  })
})

describe('checkCosign', () => {
  const waiting = { ...rotation, eligible: ['a'], requiredCosigners: 1 }

  it('takes a device that could when it was requested and can now', () => {
    expect(checkCosign(waiting, 'a', true)).toEqual(TAKEN)
  })

  it('refuses a device that could not when it was requested, or cannot now', () => {
    expect(checkCosign(waiting, 'b', true)).toEqual(refused({ reason: 'not_eligible' }))
    expect(checkCosign(waiting, 'a', false)).toEqual(refused({ reason: 'not_eligible' }))
  })

  it('refuses one for a version-1 rotation, which an operator decides', () => {
    const v1 = { ...waiting, version: 1, deadline: null, requiredCosigners: 0 } as const
    expect(checkCosign(v1, 'a', true)).toEqual(refused({ reason: 'not_eligible' }))
  })

  it.each(['active', 'frozen', 'cancelled'] as const)('refuses one for what is %s', (status) => {
    expect(checkCosign({ ...waiting, status }, 'a', true)).toEqual(refused({ reason: 'rotation_not_pending', status }))
  })
})
