import { hashHex, hashTextHex } from '@svc/protocol/base/hash'
import { genesisFault, verifyBlockSignature } from '@svc/protocol/chain/chain'
import { describe, expect, it } from 'vitest'
import { CORE, FakeCore } from '../../test/fake-core.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Chain } from './chain.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await identityOf(1)
const mallory = await identityOf(2)
const utf8 = (text: string) => new TextEncoder().encode(text)

async function started() {
  const core = new FakeCore()
  const chain = chainAt(core)
  await chain.genesis()
  return { core, chain }
}

function chainAt(core: FakeCore): Chain {
  return new Chain(new Transport({ realm: REALM, fetch: fetchOf(core.fetch), now: () => core.now }, alice), CORE, alice)
}

const appends = (core: FakeCore) => core.requests.filter(({ url }) => url.endsWith('/append')).length

describe('genesis', () => {
  it('creates the identity by a block that breaks no rule', async () => {
    const { core, chain } = await started()
    const [block] = core.blocks
    expect(block && genesisFault(block)).toBeNull()
    expect(block && (await verifyBlockSignature(block))).toBe(true)
    expect(core.requests[0]?.headers.has('authorization')).toBe(false)
    expect(await chain.readGenesis(alice.did)).toMatchObject({ did: alice.did, scope: alice.scope, block })
  })

  it('gives the same answer for the same block', async () => {
    const core = new FakeCore()
    const chain = chainAt(core)
    const block = await chain.makeGenesis()
    const record = await chain.genesis({ block })
    expect(await chain.genesis({ block })).toEqual(record)
    expect(await chain.genesis()).toEqual(record)
    core.now += 1
    await expect(chainAt(core).genesis()).rejects.toMatchObject({ error: 'genesis_conflict' })
  })

  it('sends the same block again when its answer was lost', async () => {
    const core = new FakeCore()
    const chain = chainAt(core)
    core.lostAnswers = 3
    await expect(chain.genesis()).rejects.toThrow('fetch failed')
    core.now += 1
    expect((await chain.genesis()).block).toEqual(core.blocks[0])
  })

  it.each<[string, (data: Record<string, unknown>) => Record<string, unknown>]>([
    ['another DID', (data) => ({ ...data, did: mallory.did })],
    ['another scope', (data) => ({ ...data, scope: mallory.scope })],
    ['another userId', (data) => ({ ...data, userId: mallory.userId })],
    ['another hash', (data) => ({ ...data, hash: 'a7'.repeat(48) })],
    ['a changed block', (data) => ({ ...data, block: { ...(data['block'] as object), timestamp: '1' } })],
  ])('refuses a record with %s', async (_, tamper) => {
    const { core, chain } = await started()
    core.tamper = tamper
    await expect(chain.readGenesis(alice.did)).rejects.toThrow('The genesis record does not match the DID')
  })

  it('refuses the good record of another identity', async () => {
    const { chain } = await started()
    await expect(chain.readGenesis(mallory.did)).rejects.toThrow('The genesis record does not match the DID')
  })
})

describe('append', () => {
  it('signs a block of profile 4 on the head and sends its payload', async () => {
    const { core, chain } = await started()
    const { block, ...appended } = await chain.append({
      payload: utf8('hello'),
      contentType: 'text/plain',
      metadata: { b: 1, a: 2 },
    })
    expect(appended).toEqual({ ...core.head, acceptedAt: core.now })
    expect(core.blocks[1]).toEqual(block)
    expect(block).toMatchObject({
      index: '1',
      dataHash: hashTextHex('hello'),
      metadataHash: hashTextHex('{"a":2,"b":1}'),
      contentType: 'text/plain',
      version: 4,
      scope: alice.scope,
      epoch: 0,
    })
    expect((await chain.payload('1')).bytes).toEqual(utf8('hello'))
  })

  it('does without payload, type and metadata', async () => {
    const { core, chain } = await started()
    const { block } = await chain.append({})
    expect(block).toMatchObject({ dataHash: hashHex(new Uint8Array()), metadataHash: hashTextHex('{}') })
    expect(Object.keys(block)).not.toContain('contentType')
    expect(core.payloads.size).toBe(0)
  })

  it('saves the read when it is told the head', async () => {
    const { core, chain } = await started()
    await chain.append({}, core.head)
    expect(core.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/api/genesis/init', '/api/chain/append'])
  })

  it('makes the block anew on the head that another writer has moved', async () => {
    const { core, chain } = await started()
    core.beforeAppend = async () => {
      await chainAt(core).append({ payload: utf8('theirs') })
    }
    const { index, block } = await chain.append({ payload: utf8('mine') })
    expect(index).toBe('2')
    expect(block.previousHash).toBe(core.blocks[2]?.previousHash)
    expect(core.blocks.map(({ dataHash }) => dataHash).slice(1)).toEqual([hashTextHex('theirs'), hashTextHex('mine')])
    expect((await chain.safeVerify()).ok).toBe(true)
  })

  it('gives up after eight heads', async () => {
    const { core, chain } = await started()
    const theirs = chainAt(core)
    const overtake = async () => {
      await theirs.append({})
      core.beforeAppend = overtake
    }
    core.beforeAppend = overtake
    await expect(chain.append({})).rejects.toMatchObject({ error: 'stale_head' })
    expect((await chain.safeVerify()).ok).toBe(true)
    expect(core.blocks).toHaveLength(10)
  })

  it('throws the refusal when it carries no head to go on from', async () => {
    const { core, chain } = await started()
    const { head } = core
    await chainAt(core).append({})
    core.tamper = () => ({})
    await expect(chain.append({}, head)).rejects.toMatchObject({ name: 'ServiceError', error: 'stale_head' })
  })

  it('does not append twice when the answer was lost', async () => {
    const { core, chain } = await started()
    const head = core.head
    core.lostAnswers = 1
    const { index, hash } = await chain.append({ payload: utf8('once') }, head)
    expect({ index, hash }).toEqual(core.head)
    expect(core.blocks).toHaveLength(2)
    expect(appends(core)).toBe(2)
  })

  it('does not append twice when the answer was lost and another writer followed', async () => {
    const { core, chain } = await started()
    const head = core.head
    const inner = core.fetch
    let calls = 0
    const fetch = async (request: Request) => {
      if (request.url.endsWith('/append')) calls += 1
      if (calls === 2) await chainAt(core).append({ payload: utf8('theirs') }, core.head)
      if (request.url.endsWith('/append') && calls === 1) core.lostAnswers = 1
      return inner(request)
    }
    const mine = new Chain(
      new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => core.now }, alice),
      CORE,
      alice,
    )
    expect((await mine.append({ payload: utf8('once') }, head)).index).toBe('1')
    expect(core.blocks.map(({ dataHash }) => dataHash).slice(1)).toEqual([hashTextHex('once'), hashTextHex('theirs')])
    expect((await chain.safeVerify()).ok).toBe(true)
  })

  it('throws when the connection breaks every time, and has appended once', async () => {
    const { core, chain } = await started()
    core.lostAnswers = 3
    await expect(chain.append({}, core.head)).rejects.toMatchObject({
      name: 'ConnectionError',
      attempts: 3,
      cause: new TypeError('fetch failed'),
    })
    expect(core.blocks).toHaveLength(2)
  })

  it.each([{ hash: 'a7'.repeat(48) }, { index: '2' }])('refuses an answer about another block: %j', async (members) => {
    const { core, chain } = await started()
    core.tamper = (data) => ({ ...data, ...members })
    await expect(chain.append({}, core.head)).rejects.toThrow('Core answered for a different block')
  })

  it('refuses to be told that another block is the one whose answer was lost', async () => {
    const { core, chain } = await started()
    const { head } = core
    const theirs = await chainAt(core).append({ payload: utf8('theirs') })
    core.tamper = (data) => ({ ...data, appended: { ...core.head, acceptedAt: theirs.acceptedAt } })
    await expect(chain.append({}, head)).rejects.toThrow('Core answered for a different block')
  })

  it('passes every other refusal on', async () => {
    const { core } = await started()
    const fetch = (request: Request) =>
      request.url.endsWith('/append')
        ? Promise.resolve(Response.json({ success: false, error: 'invalid_signature' }, { status: 403 }))
        : core.fetch(request)
    const chain = new Chain(
      new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => core.now }, alice),
      CORE,
      alice,
    )
    await expect(chain.append({})).rejects.toMatchObject({ status: 403, error: 'invalid_signature' })
  })
})
