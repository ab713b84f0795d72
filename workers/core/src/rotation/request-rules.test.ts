import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { type Commitment, NO_COMMITMENT, successorHash } from '@svc/protocol/chain/commitment'
import { describe, expect, it } from 'vitest'
import type { IdentityRecord } from '../identity/rules.ts'
import { checkRequest } from './request-rules.ts'

const key = (byte: number) => new Uint8Array(1952).fill(byte)
const current = { epoch: 3, userId: userIdOf(key(1)), publicKey: key(1), activatedAt: 1_000 }
const identity: IdentityRecord = {
  did: `did:svc:${'A'.repeat(32)}`,
  scope: 'a0'.repeat(48),
  createdAt: 0,
  current,
  commitment: NO_COMMITMENT,
  deactivatedAt: null,
}
const statement = {
  did: identity.did,
  scope: identity.scope,
  version: 2 as const,
  epoch: 4,
  newPublicKeyB64u: encodeBase64url(key(2)),
  next: [],
  replaceable: false,
}
const gate = { acceptsV2: true, times: { windowMs: 10, contestMs: 70, standingMs: 300 } }
const isKnown = (userId: string) => userId === current.userId
const byRoot = { signerUserId: current.userId, isCosigned: false }
const refused = (error: object) => ({ ok: false, error })
const taken = (basis: string) => ({ ok: true, value: basis })

describe('checkRequest', () => {
  it('accepts the epoch after the current one, signed by the current key, with a new key', () => {
    expect(checkRequest(identity, statement, byRoot, gate, isKnown)).toEqual(taken('root'))
    const v1 = { ...statement, version: 1 as const }
    expect(checkRequest(identity, v1, byRoot, gate, isKnown)).toEqual(taken('root'))
  })

  it.each<[string, Partial<typeof statement>, object]>([
    ['another DID', { did: `did:svc:${'B'.repeat(32)}` }, { reason: 'owner_mismatch' }],
    ['another scope of the same DID', { scope: `${'a0'.repeat(24)}${'00'.repeat(24)}` }, { reason: 'owner_mismatch' }],
    ['the current epoch', { epoch: 3 }, { reason: 'stale_epoch', epoch: 3 }],
    ['an epoch too far', { epoch: 5 }, { reason: 'stale_epoch', epoch: 3 }],
    ['the current key', { newPublicKeyB64u: encodeBase64url(key(1)) }, { reason: 'key_in_use' }],
  ])('refuses %s', (_, members, error) => {
    const request = { ...statement, ...members }
    expect(checkRequest(identity, request, byRoot, gate, isKnown)).toEqual(refused(error))
  })

  it('rejects a key that was the root key before', () => {
    expect(checkRequest(identity, statement, byRoot, gate, () => true)).toEqual(refused({ reason: 'key_in_use' }))
  })

  it('rejects a signer who is no longer the root key', () => {
    const byAnother = { ...byRoot, signerUserId: userIdOf(key(7)) }
    expect(checkRequest(identity, statement, byAnother, gate, isKnown)).toEqual(refused({ reason: 'key_superseded' }))
  })

  it('rejects version 2, and only version 2, while its gate is closed', () => {
    const closed = { ...gate, acceptsV2: false }
    const refusal = refused({ reason: 'rotation_v2_disabled' })
    expect(checkRequest(identity, statement, byRoot, closed, isKnown)).toEqual(refusal)
    const v1 = { ...statement, version: 1 as const }
    expect(checkRequest(identity, v1, byRoot, closed, isKnown)).toEqual(taken('root'))
  })
})

describe('a commitment', () => {
  const bySuccessor = { signerUserId: null, isCosigned: false }
  const withDevice = { ...byRoot, isCosigned: true }
  const under = (commitment: Commitment) => ({ ...identity, commitment })
  const named = under({ next: [successorHash(statement.newPublicKeyB64u)], replaceable: false })
  const other = under({ next: [successorHash(encodeBase64url(key(9)))], replaceable: false })
  const replaceable = under({ ...other.commitment, replaceable: true })
  const [notCommitted, unsigned] = [refused({ reason: 'key_not_committed' }), refused({ reason: 'invalid_signature' })]

  it.each([
    ['the root key and a key that it names', named, byRoot, taken('full')],
    ['all three', named, withDevice, taken('full')],
    ['a key that it names, alone', named, bySuccessor, taken('successor')],
    ['the root key with another key', other, byRoot, notCommitted],
    ['root key and device with another key', other, withDevice, notCommitted],
    ['another key, alone', other, bySuccessor, notCommitted],
    ['root key and device with another key, where it allows that', replaceable, withDevice, taken('replacement')],
    ['the root key with another key, where it allows that with a device', replaceable, byRoot, notCommitted],
    ['a key alone, without a commitment', identity, bySuccessor, unsigned],
  ])('decides about %s', (_, owner, signers, expected) => {
    expect(checkRequest(owner, statement, signers, gate, isKnown)).toEqual(expected)
  })

  it('lets an operator approve no other key either', () => {
    const v1 = { ...statement, version: 1 as const }
    expect(checkRequest(replaceable, v1, withDevice, gate, isKnown)).toEqual(notCommitted)
    expect(checkRequest(named, v1, bySuccessor, gate, isKnown)).toEqual(taken('successor'))
  })
})
