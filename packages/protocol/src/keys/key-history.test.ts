import { describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { userIdOfKey } from '../base/identity.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { alice, type Changes, mallory, requested, second, third } from '../chain/rotation.fixture.ts'
import type { RootKeyEvidence, SignedRotationRequest } from '../chain/rotation.ts'
import { type KeyHistoryFault, verifyKeyHistory } from '../chain/rotation-verification.ts'

function evidenceOf(key: Signer, epoch: number, request: SignedRotationRequest | null): RootKeyEvidence {
  const publicKeyB64u = key.ownerPublicKey
  return { epoch, userId: userIdOfKey(publicKeyB64u), publicKeyB64u, activatedAt: 1_790_000_000_000 + epoch, request }
}

const toSecond = await requested(alice, second, 1)
const toThird = await requested(second, third, 2)
const genesis = evidenceOf(alice, 0, null)
const first = evidenceOf(second, 1, toSecond)
const last = evidenceOf(third, 2, toThird)

describe('verifyKeyHistory', () => {
  const bad: KeyHistoryFault = { reason: 'bad_genesis', epoch: 0 }
  const broken: KeyHistoryFault = { reason: 'broken_link', epoch: 1 }
  const unsigned = (epoch: number): KeyHistoryFault => ({ reason: 'invalid_signature', epoch })
  const byFirst = async ({ root = alice, ...changes }: Changes & { readonly root?: Signer }) => [
    genesis,
    evidenceOf(second, 1, await requested(root, second, 1, changes)),
  ]

  it('returns the root keys by epoch, from the genesis key to the newest', async () => {
    const keys = [alice, second, third].map(({ ownerPublicKey: publicKeyB64u }, epoch) => ({
      epoch,
      userId: userIdOfKey(publicKeyB64u),
      publicKeyB64u,
    }))
    expect(await verifyKeyHistory([genesis, first, last], alice.did, REALMS)).toEqual({ ok: true, value: keys })
    expect(await verifyKeyHistory([genesis], alice.did, REALMS)).toEqual({ ok: true, value: keys.slice(0, 1) })
  })

  it.each<[string, () => readonly RootKeyEvidence[] | Promise<readonly RootKeyEvidence[]>, KeyHistoryFault]>([
    ['no key at all', () => [], { reason: 'empty', epoch: 0 }],
    ['the genesis key of another identity', () => [evidenceOf(mallory, 0, null)], bad],
    ['a later key where genesis belongs', () => [first, last], bad],
    ['a genesis key of epoch 1', () => [{ ...genesis, epoch: 1 }, first], bad],
    ['a genesis key under the name of another', () => [{ ...genesis, userId: second.scope }, first], bad],
    ['a skipped epoch', () => [genesis, last], broken],
    ['an epoch twice', () => [genesis, first, first], { reason: 'broken_link', epoch: 2 }],
    ['genesis twice', () => [genesis, genesis], broken],
    ['keys in each other’s place', () => [genesis, last, first], broken],
    ['a later key without a request', () => [genesis, { ...first, request: null }], broken],
    ['the request of another epoch', () => [genesis, { ...first, request: toThird }], broken],
    ['another number than the request has', () => [genesis, { ...first, epoch: 2 }], broken],
    [
      'another key than the request names',
      () => [genesis, { ...first, publicKeyB64u: third.ownerPublicKey, userId: third.scope }],
      broken,
    ],
    ['a key under the name of another', () => [genesis, { ...first, userId: third.scope }], broken],
    ['a request about another DID', () => byFirst({ statement: { did: mallory.did } }), broken],
    ['a request about another scope', () => byFirst({ statement: { scope: mallory.scope } }), broken],
    ['a request for another epoch than its own', () => byFirst({ statement: { epoch: 2 } }), broken],
    ['a first rotation that a stranger has signed', () => byFirst({ root: mallory }), unsigned(1)],
    ['a new key that did not sign for itself', () => byFirst({ byNewKey: mallory }), unsigned(1)],
    [
      'a second rotation that the genesis key has signed',
      async () => [genesis, first, evidenceOf(third, 2, await requested(alice, third, 2))],
      unsigned(2),
    ],
    [
      'a second key that did not sign for itself',
      async () => [genesis, first, evidenceOf(third, 2, await requested(second, third, 2, { byNewKey: second }))],
      unsigned(2),
    ],
    [
      'a superseded key that comes back',
      async () => [genesis, first, evidenceOf(alice, 2, await requested(second, alice, 2))],
      { reason: 'broken_link', epoch: 2 },
    ],
  ])('refuses %s', async (_, evidence, error) => {
    expect(await verifyKeyHistory(await evidence(), alice.did, REALMS)).toEqual({ ok: false, error })
  })

  it('refuses a valid history of another DID', async () => {
    expect(await verifyKeyHistory([genesis, first, last], mallory.did, REALMS)).toEqual({ ok: false, error: bad })
  })
})
