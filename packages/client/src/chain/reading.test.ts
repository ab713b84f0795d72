import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { ChainBlock } from '@svc/protocol/chain/chain'
import { describe, expect, it } from 'vitest'
import { CORE, FakeCore } from '../../test/fake-core.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import type { Progress } from '../transport/progress.ts'
import { Transport } from '../transport/transport.ts'
import { Chain } from './chain.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await identityOf(1)
const mallory = await identityOf(2)
const utf8 = (text: string) => new TextEncoder().encode(text)

/** Genesis and seven blocks, at three to a page. */
async function filled() {
  const core = new FakeCore()
  const chain = new Chain(
    new Transport({ realm: REALM, fetch: fetchOf(core.fetch), now: () => core.now }, alice),
    CORE,
    alice,
  )
  await chain.genesis()
  for (let i = 1; i <= 7; i++) await chain.append({ payload: utf8(`payload ${i}`) }, core.head)
  return { core, chain }
}

async function indexesOf(blocks: AsyncIterable<ChainBlock>): Promise<string[]> {
  const indexes: string[] = []
  for await (const { index } of blocks) indexes.push(index)
  return indexes
}

describe('reading', () => {
  it('goes through every page', async () => {
    const { core, chain } = await filled()
    expect(await indexesOf(chain.blocks())).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    expect(await indexesOf(chain.blocks(6))).toEqual(['6', '7'])
    expect(await chain.verify()).toEqual(core.head)
  })

  it('tells how many blocks it has verified', async () => {
    const { chain } = await filled()
    const told: Progress[] = []
    await chain.verify({ onProgress: (progress) => told.push(progress) })
    expect(told).toEqual([3, 6, 8].map((done) => ({ done, total: 8 })))
  })

  it('refuses partial history, and names no head for it', async () => {
    const { core, chain } = await filled()
    core.indexing = { state: 'rebuilding', done: 3, total: 8 }
    await expect(indexesOf(chain.blocks())).rejects.toThrow('the history is incomplete')
    await expect(chain.verify()).rejects.toThrow('the history is incomplete')
    expect((await chain.page({ from: 0, limit: 3 })).indexing).toEqual(core.indexing)
    expect((await chain.head()).indexing).toEqual(core.indexing)
  })

  it('finds what the service changed, left out or made up', async () => {
    const { core, chain } = await filled()
    const [third, fourth] = [core.blocks[3]!, core.blocks[4]!]
    core.blocks[3] = { ...third, dataHash: 'a7'.repeat(48) }
    expect(await chain.safeVerify()).toMatchObject({
      ok: false,
      error: { reason: 'invalid_signature', where: { block: '3' } },
    })
    core.blocks[3] = third
    core.blocks.splice(4, 1)
    expect(await chain.safeVerify()).toMatchObject({
      ok: false,
      error: { reason: 'wrong_index', where: { block: '5' } },
    })
    core.blocks.splice(4, 0, fourth)
    expect((await chain.safeVerify()).ok).toBe(true)
    const theirs = await new Chain(new Transport({ realm: REALM }, mallory), CORE, mallory).makeBlock(core.head, {})
    core.blocks.push(theirs)
    expect(await chain.safeVerify()).toMatchObject({
      ok: false,
      error: { reason: 'wrong_owner', where: { block: '8' } },
    })
  })

  it.each([1, 2, 7])('refuses pages that leave out the newest %i blocks', async (withheld) => {
    const { core, chain } = await filled()
    core.withheld = withheld
    await expect(indexesOf(chain.blocks())).rejects.toThrow('The service left out the newest blocks')
    await expect(chain.verify()).rejects.toThrow('The service left out the newest blocks')
  })

  it('gives the payload of a block by index and by hash', async () => {
    const { core, chain } = await filled()
    const byIndex = await chain.payload('7')
    expect(byIndex.bytes).toEqual(utf8('payload 7'))
    expect(await chain.payload(core.head.hash)).toEqual(byIndex)
  })

  it('refuses a payload that does not have the hash of its block', async () => {
    const { core, chain } = await filled()
    core.payloads.set('3', encodeBase64url(utf8('another payload')))
    await expect(chain.payload('3')).rejects.toThrow('The payload does not match the hash in its block')
  })

  it('refuses the payload of another block', async () => {
    const { core, chain } = await filled()
    core.tamper = (data) => ({ ...data, index: '4' })
    await expect(chain.payload('3')).rejects.toThrow('Core answered for a different block')
  })

  it('passes on that there is no such block', async () => {
    const { chain } = await filled()
    await expect(chain.payload('99')).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('gives the root key of a DID, and no other key for it', async () => {
    const { core, chain } = await filled()
    expect(await chain.root(alice.did)).toMatchObject({ publicKeyB64u: alice.publicKeyB64u, epoch: 0 })
    await expect(chain.root(mallory.did)).rejects.toThrow('The root key does not match the DID')
    for (const members of [
      { publicKeyB64u: mallory.publicKeyB64u },
      { publicKeyB64u: mallory.publicKeyB64u, userId: mallory.userId, scope: mallory.scope, epoch: 1 },
      { scope: mallory.scope },
      { userId: mallory.userId },
      { did: mallory.did },
    ]) {
      core.tamper = (data) => ({ ...data, ...members })
      await expect(chain.root(alice.did)).rejects.toThrow('The root key does not match the DID')
    }
  })
})
