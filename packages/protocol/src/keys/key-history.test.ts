import { describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { userIdOfKey } from '../base/identity.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { type Commitment, NO_COMMITMENT } from '../chain/commitment.ts'
import {
  alice,
  type Changes,
  committing,
  genesisOfKeys,
  mallory,
  requested,
  second,
  third,
} from '../chain/rotation.fixture.ts'
import type { RootKeyEvidence, SignedRotationRequest } from '../chain/rotation.ts'
import { type KeyHistoryFault, verifyKeyHistory } from '../chain/rotation-verification.ts'

function evidenceOf(key: Signer, epoch: number, request: SignedRotationRequest | null): RootKeyEvidence {
  const publicKeyB64u = key.ownerPublicKey
  const userId = userIdOfKey(publicKeyB64u)
  return { epoch, userId, publicKeyB64u, activatedAt: 1_790_000_000_000 + epoch, request, genesis: null }
}

const toSecond = await requested(alice, second, 1)
const toThird = await requested(second, third, 2)
const genesis = { ...evidenceOf(alice, 0, null), genesis: await genesisOfKeys(alice) }
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
      commitment: NO_COMMITMENT,
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

describe('a commitment', () => {
  const genesisTo = async (commitment: Commitment, root = alice) => ({
    ...genesis,
    genesis: await genesisOfKeys(root, commitment),
  })
  const refused = (reason: KeyHistoryFault['reason'], epoch: number) => ({ ok: false, error: { reason, epoch } })
  const verified = (...evidence: readonly RootKeyEvidence[]) => verifyKeyHistory(evidence, alice.did, REALMS)
  const toMallory = async (root: Signer, epoch: number) =>
    evidenceOf(mallory, epoch, await requested(root, mallory, epoch))

  it('is followed from the genesis on, and each request makes the next one', async () => {
    const committed = await genesisTo(committing(second, third))
    const next = await requested(alice, second, 1, { statement: { next: committing(third).next } })
    const kept = evidenceOf(second, 1, next)
    const keys = await verified(committed, kept, last)
    expect(keys.ok && keys.value.map(({ commitment }) => commitment?.next.length)).toEqual([2, 1, 0])
    expect(await verified(committed, kept, await toMallory(second, 2))).toEqual(refused('key_not_committed', 2))
    expect(await verified(committed, await toMallory(alice, 1))).toEqual(refused('key_not_committed', 1))
  })

  it('lets a key that it names follow without the key before it, and no other key', async () => {
    const alone = { ...toSecond, signatureB64u: null }
    const bySuccessor = evidenceOf(second, 1, alone)
    expect((await verified(await genesisTo(committing(second)), bySuccessor)).ok).toBe(true)
    expect(await verified(await genesisTo(committing(third)), bySuccessor)).toEqual(refused('key_not_committed', 1))
    expect(await verified(genesis, bySuccessor)).toEqual(refused('key_not_committed', 1))
    const byMallory = evidenceOf(second, 1, await requested(mallory, second, 1))
    expect(await verified(await genesisTo(committing(second)), byMallory)).toEqual(refused('invalid_signature', 1))
  })

  it('cannot be left out, nor exchanged, nor be that of another block', async () => {
    const committed = await genesisTo(committing(second))
    const shown = committed.genesis
    const other = { ...shown, commitment: committing(third) }
    expect(await verified({ ...committed, genesis: { ...shown, commitment: null } }, first)).toEqual(
      refused('commitment_withheld', 0),
    )
    expect(await verified({ ...committed, genesis: other }, first)).toEqual(refused('commitment_withheld', 0))
    expect(await verified({ ...committed, genesis: null }, first)).toEqual(refused('commitment_withheld', 0))
    const { signature: _, ...unsigned } = shown.block
    expect(await verified({ ...committed, genesis: { ...shown, block: unsigned } }, first)).toEqual(
      refused('bad_genesis', 0),
    )
    const byMallory = await genesisOfKeys(mallory, committing(mallory))
    expect(await verified({ ...committed, genesis: byMallory }, first)).toEqual(refused('bad_genesis', 0))
    const changed = { ...shown.block, metadataHash: genesis.genesis.block.metadataHash }
    expect(await verified({ ...committed, genesis: { block: changed, commitment: null } }, first)).toEqual(
      refused('bad_genesis', 0),
    )
  })

  it('is not asked for before there is a second key', async () => {
    const keys = await verified({ ...genesis, genesis: null })
    expect(keys).toMatchObject({ ok: true, value: [{ commitment: null }] })
  })
})
