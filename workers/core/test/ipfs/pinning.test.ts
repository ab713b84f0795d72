import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORE, call, freshCaller, send, sendWith } from '../harness.ts'
import {
  type FakeGateway,
  fileOf,
  gatewayWith,
  leafOf,
  nodeOf,
  sample,
  sweepAt,
  type TestFile,
} from './ipfs.fixture.ts'

const DAY_MS = 24 * 3_600_000

afterEach(() => vi.useRealTimers())

const rowsOf = async (did: string) =>
  (await env.DB.prepare('SELECT cid, name, provider, status, bytes FROM pins WHERE did = ?').bind(did).all()).results
const pinnedBlocks = async ({ root }: Pick<TestFile, 'root'>) =>
  (await env.BLOBS.list({ prefix: `ipfs/pin/${root.name}/` })).objects.length
const goneDark = (gateway: FakeGateway) => gateway.answers('*', () => new Response(null, { status: 502 }))

/** A database that fails when a pin is written. */
const withoutPins = {
  prepare: (sql: string) => env.DB.prepare(sql),
  batch: () => Promise.reject(new Error('D1 is down')),
}

describe('a pin in the deployment’s own store', () => {
  it('stores every block of a file and returns its size', async () => {
    const { client, identity } = await freshCaller()
    const file = await fileOf(sample(4_321, 71), 1_000, 2)
    gatewayWith(...file.blocks)
    const before = Date.now()
    const pin = await client.account.pin(file.root.name, 'holiday.mp4')
    expect(pin).toEqual({
      cid: file.root.name,
      name: 'holiday.mp4',
      provider: 'object-store',
      status: 'pinned',
      bytes: 4_321,
      pinnedAt: expect.any(Number),
    })
    expect(pin.pinnedAt).toBeGreaterThanOrEqual(before)
    expect(await pinnedBlocks(file)).toBe(file.blocks.length)
    expect(await rowsOf(identity.did)).toEqual([
      { cid: file.root.name, name: 'holiday.mp4', provider: 'object-store', status: 'pinned', bytes: 4_321 },
    ])
  })

  it('stays after the cache is emptied, with the gateway down', async () => {
    const { client } = await freshCaller()
    const file = await fileOf(sample(2_500, 72))
    const gateway = gatewayWith(...file.blocks)
    await client.account.pin(file.root.name)
    goneDark(gateway)
    await env.BLOBS.delete(file.blocks.map(({ name }) => `ipfs/cache/${file.root.name}/${name}`))
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 400 * DAY_MS)
    const response = await send(new Request(`${CORE}/ipfs/${file.root.name}`))
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(file.bytes)
  })

  it('is idempotent, and fetches nothing again', async () => {
    const { client, identity } = await freshCaller()
    const leaf = await leafOf(sample(300, 73))
    const gateway = gatewayWith(leaf)
    const first = await client.account.pin(leaf.name, 'first')
    goneDark(gateway)
    expect(await client.account.pin(leaf.name, 'second')).toEqual(first)
    expect(await rowsOf(identity.did)).toHaveLength(1)
  })

  it('has one name for every form of its CID', async () => {
    const { client, identity } = await freshCaller()
    const { root, blocks } = await fileOf(sample(1_500, 74))
    gatewayWith(...blocks)
    const pin = await client.account.pin(root.cid.toV0().toString())
    expect(pin).not.toHaveProperty('name')
    expect(pin.cid).toBe(root.name)
    expect(await client.account.pin(root.name)).toEqual(pin)
    expect(await rowsOf(identity.did)).toHaveLength(1)
  })

  it('is separate for each identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const leaf = await leafOf(sample(300, 75))
    gatewayWith(leaf)
    await alice.client.account.pin(leaf.name)
    await bob.client.account.pin(leaf.name)
    expect(await rowsOf(alice.identity.did)).toHaveLength(1)
    expect(await rowsOf(bob.identity.did)).toHaveLength(1)
  })

  it('created by twenty concurrent requests is one pin', async () => {
    const caller = await freshCaller()
    const { root, blocks } = await fileOf(sample(1_500, 76))
    gatewayWith(...blocks)
    const pins = await Promise.all(Array.from({ length: 20 }, () => caller.client.account.pin(root.name)))
    expect(new Set(pins.map(({ cid, status }) => `${cid} ${status}`))).toEqual(new Set([`${root.name} pinned`]))
    expect(await rowsOf(caller.identity.did)).toHaveLength(1)
  })
})

describe('a pin is rejected', () => {
  it.each<[string, unknown, number, object]>([
    [
      'a CID that cannot be verified here',
      { cid: 'bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' },
      400,
      { error: 'cid_unsupported' },
    ],
    ['no CID', { cid: 'not-a-cid-at-all' }, 400, { error: 'cid_unsupported' }],
    ['no member', {}, 400, { code: 'invalid_request' }],
    [
      'an empty name',
      { cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e', name: '' },
      400,
      { code: 'invalid_request' },
    ],
    [
      'another member',
      { cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e', origins: [] },
      400,
      { code: 'invalid_request' },
    ],
    [
      'content that nobody has',
      { cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e' },
      404,
      { error: 'not_found' },
    ],
  ])('for %s', async (_, body, status, answer) => {
    gatewayWith()
    expect(await call(await freshCaller(), 'POST', '/api/ipfs/pin', body)).toMatchObject({ status, body: answer })
  })

  it('for a directory and above 64 MiB', async () => {
    const caller = await freshCaller()
    const leaf = await leafOf(sample(20))
    const directory = await nodeOf([leaf], { type: 'directory' })
    const large = await nodeOf([leaf], { sizes: [64 * 1024 * 1024 + 1] })
    gatewayWith(leaf, directory, large)
    const pin = (cid: string) => call(caller, 'POST', '/api/ipfs/pin', { cid })
    expect(await pin(directory.name)).toMatchObject({ status: 400, body: { error: 'not_a_file' } })
    expect(await pin(large.name)).toMatchObject({ status: 413, body: { error: 'content_too_large' } })
  })

  it('for content with a missing block, and nothing is stored', async () => {
    const caller = await freshCaller()
    const file = await fileOf(sample(3_500, 77))
    gatewayWith(...file.blocks.filter((block) => block !== file.leaves[3]))
    expect(await call(caller, 'POST', '/api/ipfs/pin', { cid: file.root.name })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
    expect(await pinnedBlocks(file)).toBe(0)
    expect(await rowsOf(caller.identity.did)).toEqual([])
  })

  it('while the gateway is down, and nothing is stored', async () => {
    const caller = await freshCaller()
    const file = await fileOf(sample(2_500, 78))
    const gateway = gatewayWith(...file.blocks)
    gateway.answers(file.leaves[1]?.name ?? '', () => new Response(null, { status: 504 }))
    expect((await call(caller, 'POST', '/api/ipfs/pin', { cid: file.root.name })).status).toBe(503)
    expect(await pinnedBlocks(file)).toBe(0)
    expect(await rowsOf(caller.identity.did)).toEqual([])
  })

  it('by a deployment with pinning off', async () => {
    const caller = await freshCaller({ fetch: sendWith({ PINNING_PROVIDER: 'off' }) })
    const leaf = await leafOf(sample(20))
    const gateway = gatewayWith(leaf)
    await expect(caller.client.account.pin(leaf.name)).rejects.toMatchObject({ status: 403, error: 'pinning_disabled' })
    expect(gateway.asked).toEqual([])
  })
})

describe('a pin whose row cannot be written', () => {
  it('is 503, and the retry finds its blocks', async () => {
    const caller = await freshCaller()
    const file = await fileOf(sample(2_500, 79))
    const gateway = gatewayWith(...file.blocks)
    const broken = sendWith({ DB: withoutPins })
    const body = { cid: file.root.name }
    expect((await call(caller, 'POST', '/api/ipfs/pin', body, broken)).status).toBe(503)
    expect(await rowsOf(caller.identity.did)).toEqual([])
    goneDark(gateway)
    expect(await call(caller, 'POST', '/api/ipfs/pin', body)).toMatchObject({
      status: 200,
      body: { data: { status: 'pinned', bytes: 2_500 } },
    })
    await sweepAt(Date.now() + 2 * 3_600_000)
    expect(await pinnedBlocks(file)).toBe(file.blocks.length)
  })
})

describe('a thousand pins', () => {
  const fill = (did: string, count: number) =>
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO pins (did, cid, provider, status, pinned_at) SELECT ?1, 'filler-' || i, 'object-store', 'pinned', 0 FROM n`,
    )
      .bind(did, count)
      .run()

  it('are the limit of an identity', async () => {
    const { client, identity } = await freshCaller()
    const [last, beyond] = [await leafOf(sample(20, 81)), await leafOf(sample(20, 82))]
    const gateway = gatewayWith(last, beyond)
    await fill(identity.did, 999)
    await client.account.pin(last.name)
    await expect(client.account.pin(beyond.name)).rejects.toMatchObject({ status: 409, error: 'pin_limit' })
    expect(gateway.asked).toEqual([last.name])
    expect((await client.account.pin(last.name)).status).toBe('pinned')
  })

  it('are not exceeded by ten concurrent requests', async () => {
    const caller = await freshCaller()
    const leaves = await Promise.all(Array.from({ length: 10 }, (_, i) => leafOf(sample(20, 90 + i))))
    gatewayWith(...leaves)
    await fill(caller.identity.did, 997)
    const answers = await Promise.all(leaves.map(({ name }) => call(caller, 'POST', '/api/ipfs/pin', { cid: name })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status, body }) => status === 409 && body['error'] === 'pin_limit')).toHaveLength(7)
    expect(await rowsOf(caller.identity.did)).toHaveLength(1_000)
  })
})
