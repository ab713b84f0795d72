import { describe, expect, it } from 'vitest'
import { blockAfter, genesisOf, headOf, type Signer, signedBy, signerOf } from './chain.fixture.ts'
import { type ChainFault, ChainVerifier, type EpochKey, type SignedBlock, verifyChain } from './chain.ts'

const alice = await signerOf(1)
const second = await signerOf(2)
const third = await signerOf(3)
const mallory = await signerOf(9)

const keyOf = ({ scope: userId, ownerPublicKey: publicKeyB64u }: Signer, epoch: number): EpochKey => ({
  epoch,
  userId,
  publicKeyB64u,
})
const keys = [keyOf(alice, 0), keyOf(second, 1), keyOf(third, 2)]

/** A block of Alice's chain signed by one of her root keys; by default in profile 4 with the key's epoch. */
async function nextBy(
  signer: Signer,
  chain: readonly SignedBlock[],
  { version = 4, ...members }: { version?: 2 | 3 | 4; epoch?: number; scope?: string },
): Promise<SignedBlock> {
  const block = await blockAfter(signer, headOf(chain.at(-1)!), version)
  return signedBy(signer, block, version === 4 ? { scope: alice.scope, ...members } : members)
}

const chain: SignedBlock[] = [await genesisOf(alice)]
chain.push(await nextBy(alice, chain, { epoch: 0 }))
chain.push(await nextBy(second, chain, { epoch: 1 }))
chain.push(await nextBy(second, chain, { version: 2 }))
chain.push(await nextBy(third, chain, { version: 3 }))
chain.push(await nextBy(third, chain, { epoch: 2 }))

async function faultOf(blocks: readonly SignedBlock[], known: readonly EpochKey[] = keys): Promise<ChainFault | null> {
  const verified = await verifyChain(blocks, alice.did, known)
  return verified.ok ? null : verified.error
}

describe('a chain across epochs', () => {
  it('is accepted if its root keys follow each other', async () => {
    expect(await verifyChain(chain, alice.did, keys)).toEqual({ ok: true, value: headOf(chain.at(-1)!) })
  })

  it('may skip an epoch in which nothing was signed', async () => {
    const skipping = [...chain.slice(0, 2), await nextBy(third, chain.slice(0, 2), { epoch: 2 })]
    expect(await faultOf(skipping)).toBeNull()
  })

  it('is refused at the first later key if only the genesis key is known', async () => {
    expect(await faultOf(chain, [])).toEqual({ reason: 'wrong_owner', index: '2' })
    expect(await faultOf(chain, keys.slice(0, 2))).toEqual({ reason: 'wrong_owner', index: '4' })
  })

  it.each<[string, Signer, number, { version?: 2 | 3 | 4; epoch?: number }]>([
    ['the genesis key after the second', alice, 3, { epoch: 0 }],
    ['the genesis key after the second, in profile 2', alice, 3, { version: 2 }],
    ['the second key after the third', second, 5, { epoch: 1 }],
    ['the second key after the third, in profile 3', second, 5, { version: 3 }],
    ['a superseded key that claims the current epoch', alice, 3, { epoch: 1 }],
    ['a new key that claims the epoch before', second, 2, { epoch: 0 }],
    ['a new key that claims the epoch after', second, 2, { epoch: 2 }],
    ['the current key under another epoch', third, 6, { epoch: 3 }],
  ])('refuses %s', async (_, signer, at, members) => {
    const before = chain.slice(0, at)
    const blocks = [...before, await nextBy(signer, before, members)]
    expect(await faultOf(blocks)).toEqual({ reason: 'wrong_epoch', index: String(at) })
  })

  it('refuses a key of another identity', async () => {
    const blocks = [...chain, await nextBy(mallory, chain, { epoch: 2 })]
    expect(await faultOf(blocks)).toEqual({ reason: 'wrong_owner', index: '6' })
  })

  it('requires the scope of the genesis key, whichever key signs', async () => {
    const blocks = [...chain, await nextBy(third, chain, { epoch: 2, scope: third.scope })]
    expect(await faultOf(blocks)).toEqual({ reason: 'wrong_scope', index: '6' })
  })

  it('refuses a block signed by a superseded key that names the current one', async () => {
    const block = await nextBy(third, chain, { epoch: 2 })
    const forged = await signedBy(second, block)
    expect(await faultOf([...chain, forged])).toEqual({ reason: 'invalid_signature', index: '6' })
  })

  it('cannot begin with a rotated-in key', async () => {
    const genesis = await signedBy(second, chain[0]!, { ownerPublicKey: second.ownerPublicKey })
    expect(await faultOf([genesis])).toEqual({
      reason: 'bad_genesis',
      detail: 'scope must be the userId of ownerPublicKey',
    })
    expect(await faultOf([await genesisOf(second)])).toEqual({ reason: 'wrong_scope', index: '0' })
  })

  it('does not advance to a later epoch on a refused block', async () => {
    const verifier = new ChainVerifier(alice.did, keys)
    for (const block of chain.slice(0, 2)) await verifier.next(block)
    const broken = await nextBy(third, chain.slice(0, 2), { epoch: 2 })
    expect((await verifier.next({ ...broken, dataHash: 'a7'.repeat(48) })).ok).toBe(false)
    expect(await verifier.next(chain[2]!)).toEqual({ ok: true, value: headOf(chain[2]!) })
  })
})
