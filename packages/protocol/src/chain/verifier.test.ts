import { describe, expect, it } from 'vitest'
import { blockAfter, chainOf, genesisOf, headOf, signedBy, signerOf } from './chain.fixture.ts'
import { type ChainBlock, type ChainFault, ChainVerifier, type SignedBlock, verifyChain } from './chain.ts'

const alice = await signerOf(1)
const mallory = await signerOf(2)
/** Genesis, then mixed profiles, so that each occurs between two others. */
const chain = await chainOf(alice, [2, 3, 4, 4, 2, 3])
const LAST = chain.length - 1

async function faultOf(blocks: readonly ChainBlock[], did = alice.did): Promise<ChainFault | null> {
  const verified = await verifyChain(blocks, did)
  return verified.ok ? null : verified.error
}

/** The chain with changed members in one block; its signature stays unless it is among them. */
const changed = (at: number, members: object): ChainBlock[] =>
  chain.map((block, i) => (i === at ? { ...block, ...members } : block))

/** Like `changed`, but re-signed by the owner. */
const resigned = async (at: number, members: object): Promise<ChainBlock[]> =>
  chain.with(at, await signedBy(alice, chain[at]!, members))

const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
const each = chain.map((_, i) => i)

describe('verifyChain', () => {
  it('accepts a chain of profiles 2, 3 and 4 and returns its head', async () => {
    expect(await verifyChain(chain, alice.did)).toEqual({ ok: true, value: headOf(chain[LAST]!) })
  })

  it('accepts a chain with only a genesis', async () => {
    expect(await verifyChain(chain.slice(0, 1), alice.did)).toEqual({ ok: true, value: headOf(chain[0]!) })
  })

  it('refuses an empty chain', async () => {
    expect(await faultOf([])).toEqual({ reason: 'empty' })
  })

  it('refuses a valid chain of another identity', async () => {
    expect(await faultOf(chain, mallory.did)).toEqual({ reason: 'wrong_scope', index: '0' })
  })

  it('cannot detect a missing end: the head shows how far it goes', async () => {
    expect(await verifyChain(chain.slice(0, -1), alice.did)).toEqual({ ok: true, value: headOf(chain[LAST - 1]!) })
  })
})

describe.each(each)('a change in block %i', (at) => {
  const index = String(at)
  const unlinked = (reason: 'wrong_index' | 'wrong_previous', detail: string): ChainFault =>
    at === 0 ? { reason: 'bad_genesis', detail } : { reason, index }

  it.each(['timestamp', 'dataHash', 'metadataHash'])('of %s breaks its signature', async (member) => {
    const value = member === 'timestamp' ? '1790000000002' : 'a7'.repeat(48)
    expect(await faultOf(changed(at, { [member]: value }))).toEqual({ reason: 'invalid_signature', index })
  })

  it('of the signature breaks it', async () => {
    const signature = flipped(chain[at]!.signature)
    expect(await faultOf(changed(at, { signature }))).toEqual({ reason: 'invalid_signature', index })
  })

  it('that removes the signature is detected', async () => {
    expect(await faultOf(changed(at, { signature: undefined }))).toEqual({ reason: 'unsigned', index })
  })

  it('to the signature of another block is detected', async () => {
    const { signature } = chain[(at + 1) % chain.length]!
    expect(await faultOf(changed(at, { signature }))).toEqual({ reason: 'invalid_signature', index })
  })

  it('of index and previousHash breaks the link', async () => {
    expect(await faultOf(changed(at, { index: String(at + 1) }))).toEqual(
      at === 0 ? unlinked('wrong_index', 'index must be "0"') : { reason: 'wrong_index', index: String(at + 1) },
    )
    expect(await faultOf(changed(at, { previousHash: 'a7'.repeat(48) }))).toEqual(
      unlinked('wrong_previous', 'previousHash must be 96 zeros'),
    )
  })

  it('of the owner is detected, even if that owner signs it', async () => {
    const { ownerPublicKey } = mallory
    const fault: ChainFault =
      at === 0
        ? { reason: 'bad_genesis', detail: 'scope must be the userId of ownerPublicKey' }
        : { reason: 'wrong_owner', index }
    expect(await faultOf(changed(at, { ownerPublicKey }))).toEqual(fault)
    const taken = await signedBy(mallory, chain[at]!, { ownerPublicKey })
    expect(await faultOf(chain.with(at, taken))).toEqual(fault)
  })

  it('of contentType breaks its signature, or the genesis', async () => {
    const fault: ChainFault =
      at === 0
        ? { reason: 'bad_genesis', detail: 'contentType must be application/vnd.svc.genesis+json' }
        : { reason: 'invalid_signature', index }
    for (const contentType of ['text/html', undefined]) {
      expect(await faultOf(changed(at, { contentType }))).toEqual(fault)
    }
  })

  it('of its position is detected', async () => {
    const dropped = chain.toSpliced(at, 1)
    const twice = chain.toSpliced(at, 0, chain[at]!)
    expect(await faultOf(twice)).toEqual({ reason: 'wrong_index', index })
    if (at === 0) expect(await faultOf(dropped)).toEqual({ reason: 'bad_genesis', detail: 'version must be 4' })
    else if (at < LAST) expect(await faultOf(dropped)).toEqual({ reason: 'wrong_index', index: String(at + 1) })
    const next = chain[at + 1]
    if (at > 0 && next) {
      const swapped = chain.with(at, next).with(at + 1, chain[at]!)
      expect(await faultOf(swapped)).toEqual({ reason: 'wrong_index', index: String(at + 1) })
    }
  })
})

describe('a change that the owner signs', () => {
  it.each(each.slice(0, -1))('in block %i breaks the link of the next one', async (at) => {
    for (const members of [{ timestamp: '1790000000002' }, { dataHash: 'a7'.repeat(48) }, {}]) {
      expect(await faultOf(await resigned(at, members))).toEqual({ reason: 'wrong_previous', index: String(at + 1) })
    }
  })
})

describe('the profile of a block', () => {
  it('cannot be relabelled', async () => {
    expect(await faultOf(changed(1, { version: 3 }))).toEqual({ reason: 'invalid_signature', index: '1' })
    expect(await faultOf(changed(2, { version: 2 }))).toEqual({ reason: 'invalid_signature', index: '2' })
    expect(await faultOf(changed(1, { version: 4, scope: alice.scope, epoch: 0 }))).toEqual({
      reason: 'invalid_signature',
      index: '1',
    })
    const { scope: _, epoch: __, ...bare } = chain[3] as SignedBlock & { scope: string; epoch: number }
    expect(await faultOf(chain.with(3, { ...bare, version: 3 }))).toEqual({ reason: 'invalid_signature', index: '3' })
  })

  it('is 4 at genesis', async () => {
    const { scope: _, epoch: __, ...bare } = chain[0] as SignedBlock & { scope: string; epoch: number }
    const genesis = await signedBy(alice, { ...bare, version: 3 })
    expect(await faultOf([genesis])).toEqual({ reason: 'bad_genesis', detail: 'version must be 4' })
  })

  it('requires scope and epoch of profile 4 to match genesis, regardless of the signer', async () => {
    expect(await faultOf(await resigned(3, { scope: mallory.scope }))).toEqual({ reason: 'wrong_scope', index: '3' })
    expect(await faultOf(await resigned(3, { epoch: 1 }))).toEqual({ reason: 'wrong_epoch', index: '3' })
    expect(await faultOf(await resigned(0, { epoch: 1 }))).toEqual({ reason: 'bad_genesis', detail: 'epoch must be 0' })
  })
})

describe('a chain spliced from two', () => {
  it('is refused where the second begins', async () => {
    const theirs = await chainOf(mallory, [2, 3, 4, 4, 2, 3])
    expect(await faultOf([...chain.slice(0, 3), ...theirs.slice(3)])).toEqual({ reason: 'wrong_previous', index: '3' })
    expect(await faultOf([theirs[0]!, ...chain.slice(1)], mallory.did)).toEqual({
      reason: 'wrong_previous',
      index: '1',
    })
    const grafted = await blockAfter(mallory, headOf(chain[LAST]!), 2)
    expect(await faultOf([...chain, grafted])).toEqual({ reason: 'wrong_owner', index: String(LAST + 1) })
  })

  it('is refused if it starts later, even if it links correctly', async () => {
    expect(await faultOf(chain.slice(3))).toEqual({ reason: 'bad_genesis', detail: 'index must be "0"' })
  })

  it('is refused at a second genesis', async () => {
    const second = await signedBy(alice, await genesisOf(alice), { timestamp: '1790000000009' })
    expect(await faultOf([chain[0]!, second])).toEqual({ reason: 'wrong_index', index: '0' })
  })
})

describe('ChainVerifier', () => {
  it('returns the head after each block and keeps it on a fault', async () => {
    const verifier = new ChainVerifier(alice.did)
    expect(verifier.head).toBeNull()
    for (const block of chain) {
      expect(await verifier.next(block)).toEqual({ ok: true, value: headOf(block) })
      expect(verifier.head).toEqual(headOf(block))
    }
    expect((await verifier.next(chain[0]!)).ok).toBe(false)
    expect(verifier.head).toEqual(headOf(chain[LAST]!))
  })

  it('has no head after a refused genesis', async () => {
    const verifier = new ChainVerifier(alice.did)
    await verifier.next({ ...chain[0]!, signature: flipped(chain[0]!.signature) })
    expect(verifier.head).toBeNull()
    expect(await verifier.next(chain[1]!)).toEqual({
      ok: false,
      error: { reason: 'bad_genesis', detail: 'version must be 4' },
    })
  })
})
