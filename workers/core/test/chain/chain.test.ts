import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { blockHash } from '@svc/protocol/chain/chain'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { call, freshCaller, nextBlock } from '../harness.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('POST /api/chain/append', () => {
  it('appends, and the returned chain verifies', async () => {
    const { client } = await freshCaller()
    const first = await client.chain.append({ payload: bytes('one'), contentType: 'text/plain' })
    const second = await client.chain.append({ metadata: { mood: 'good' } })
    expect([first.index, second.index]).toEqual(['1', '2'])
    expect(await client.chain.head()).toMatchObject({ index: '2', hash: second.hash })
    expect(await client.chain.verify()).toEqual({ index: '2', hash: second.hash })
  })

  it.each([2, 3])('keeps a block of profile %i exactly as signed', async (version) => {
    const caller = await freshCaller()
    const { scope: _, epoch: __, ...plain } = (await nextBlock(caller)) as unknown as Record<string, unknown>
    const block = await nextBlock(caller, { ...plain, version, scope: undefined, epoch: undefined, contentType: 'a/b' })
    expect((await call(caller, 'POST', '/api/chain/append', block)).status).toBe(201)
    const { blocks } = await caller.client.chain.page({ from: 1 })
    expect(blocks).toEqual([JSON.parse(JSON.stringify(block))])
    expect(await caller.client.chain.verify()).toMatchObject({ hash: blockHash(block) })
  })

  it('rejects a stale head and returns the current one in the details', async () => {
    const caller = await freshCaller()
    const stale = await nextBlock(caller)
    const { index, hash } = await caller.client.chain.append({})
    expect(await call(caller, 'POST', '/api/chain/append', stale)).toMatchObject({
      status: 409,
      body: { success: false, error: 'stale_head', details: { head: { index, hash }, appended: null } },
    })
  })

  it('tells a retry that its block was appended', async () => {
    const caller = await freshCaller()
    const block = await nextBlock(caller)
    const first = await call(caller, 'POST', '/api/chain/append', block)
    const again = await call(caller, 'POST', '/api/chain/append', block)
    expect(again).toMatchObject({ status: 409, body: { details: { appended: first.body['data'] } } })
    expect((await caller.client.chain.head()).index).toBe('1')
  })

  it.each([
    ['a gap in the index', { index: '2' }, 409, 'stale_head'],
    ['another previous hash', { previousHash: 'a'.repeat(96) }, 409, 'stale_head'],
    ['another epoch', { epoch: 1 }, 409, 'stale_epoch'],
    ['another scope', { scope: 'b'.repeat(96) }, 403, 'owner_mismatch'],
  ])('refuses %s', async (_, changes, status, error) => {
    const caller = await freshCaller()
    const block = await nextBlock(caller, changes)
    expect(await call(caller, 'POST', '/api/chain/append', block)).toMatchObject({ status, body: { error } })
    expect((await caller.client.chain.head()).index).toBe('0')
  })

  it('rejects a block by an owner other than the caller', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const block = await nextBlock(bob)
    expect(await call(alice, 'POST', '/api/chain/append', block)).toMatchObject({
      status: 403,
      body: { error: 'owner_mismatch' },
    })
  })

  it('gives the same answer to a foreign and a missing signature', async () => {
    const caller = await freshCaller()
    const { signature, ...unsigned } = await nextBlock(caller)
    const foreign = { ...unsigned, signature: encodeBase64url(await signerOf(caller.identity)(bytes('other'))) }
    for (const block of [unsigned, foreign]) {
      expect(await call(caller, 'POST', '/api/chain/append', block)).toMatchObject({
        status: 403,
        body: { error: 'invalid_signature' },
      })
    }
    expect(signature).toHaveLength(4412)
  })

  it.each([
    ['an unknown member', { title: 'secret plans' }, 'Unrecognized key'],
    ['a leading zero', { index: '01' }, 'body.index'],
    ['another algorithm', { signatureAlg: 'ML-DSA-65' }, 'body.signatureAlg'],
    ['an unknown profile', { version: 5 }, 'body.version'],
    ['uppercase hex', { dataHash: 'A'.repeat(96) }, 'body.dataHash'],
    ['a payload of another hash', { payloadB64u: 'AAAA' }, 'body.payloadB64u'],
  ])('names %s', async (_, changes, named) => {
    const caller = await freshCaller()
    const { body, status } = await call(caller, 'POST', '/api/chain/append', {
      ...(await nextBlock(caller)),
      ...changes,
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', details: { error: 'invalid_request' } })
    expect(body['message']).toContain(named)
    expect(JSON.stringify(body)).not.toContain('secret plans')
  })
})

describe('payloads', () => {
  it.each([
    ['beside the block', 64 * 1024],
    ['in R2', 64 * 1024 + 1],
    ['at the cap', 180 * 1024],
  ])('come back whole from %s', async (_, size) => {
    const { client } = await freshCaller()
    const payload = crypto.getRandomValues(new Uint8Array(65_536))
    const whole = new Uint8Array(size).map((__, i) => payload[i % payload.length] ?? 0)
    const { hash } = await client.chain.append({ payload: whole })
    const byHash = await client.chain.payload(hash)
    expect(byHash.bytes.length).toBe(size)
    expect(hashHex(byHash.bytes)).toBe(hashHex(whole))
    expect((await client.chain.payload('1')).record.hash).toBe(hash)
  })

  it('are 404 if there is none, whatever the block id looks like', async () => {
    const caller = await freshCaller()
    await caller.client.chain.append({})
    for (const id of ['1', '7', 'a'.repeat(96), '01', '-1', 'head', 'A'.repeat(96), '9'.repeat(20)]) {
      expect(await call(caller, 'GET', `/api/chain/payload/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      })
    }
  })
})

describe('GET /api/chain/blocks', () => {
  it('pages in ascending order without gaps', async () => {
    const { client } = await freshCaller()
    let head = await client.chain.head()
    for (let i = 0; i < 6; i++) head = { ...head, ...(await client.chain.append({}, head)) }
    const seen: string[] = []
    for (let next: string | null = '0'; next !== null; ) {
      const page: Awaited<ReturnType<typeof client.chain.page>> = await client.chain.page({
        from: Number(next),
        limit: 3,
      })
      expect(page.blocks.length).toBeLessThanOrEqual(3)
      expect(page.head.index).toBe('6')
      seen.push(...page.blocks.map(({ index }) => index))
      next = page.next
    }
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    expect((await client.chain.page({ from: 2, to: 3 })).blocks.map(({ index }) => index)).toEqual(['2', '3'])
  })

  it('filters by content type and clamps the page', async () => {
    const { client } = await freshCaller()
    for (const contentType of ['a/a', 'b/b', 'a/a']) await client.chain.append({ contentType })
    const filtered = await client.chain.page({ contentType: 'a/a', limit: 1 })
    expect(filtered).toMatchObject({ blocks: [{ index: '1' }], next: '3' })
    expect((await client.chain.page({ limit: 0 })).blocks).toHaveLength(1)
    expect((await client.chain.page({ limit: -7, from: -1 })).blocks).toHaveLength(1)
    expect((await client.chain.page({ limit: 1_000_000 })).blocks).toHaveLength(4)
  })

  it.each(['from=x', 'from=1e3', 'limit=1.5', 'to=', 'order=desc', 'contentType='])('rejects ?%s', async (query) => {
    const caller = await freshCaller()
    expect((await call(caller, 'GET', `/api/chain/blocks?${query}`)).status).toBe(400)
  })
})

describe('GET /api/sync/status', () => {
  it('has no backup before the first append and reports its time', async () => {
    const { client, identity } = await freshCaller()
    expect(await client.chain.syncStatus()).toEqual({ hasBackup: false, lastSync: null, userId: identity.userId })
    const { acceptedAt } = await client.chain.append({})
    expect(await client.chain.syncStatus()).toMatchObject({ hasBackup: true, lastSync: acceptedAt })
  })
})
