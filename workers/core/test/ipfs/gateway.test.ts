import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, CORE, send, sendWith } from '../harness.ts'
import { cidOf, fileOf, GATEWAY, gatewayWith, leafOf, nodeOf, sample, silent } from './ipfs.fixture.ts'

const DAY_MS = 24 * 3_600_000

afterEach(() => vi.useRealTimers())

const get = async (cid: string, fetch = send) => {
  const response = await fetch(new Request(`${CORE}/ipfs/${cid}`))
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
}
const refusal = async (cid: string) => {
  const { status, body, headers } = await anonymous('GET', `/ipfs/${cid}`)
  return { status, error: body['error'], cacheControl: headers.get('cache-control') }
}
const UNAVAILABLE = { status: 503, error: 'dependency_unavailable', cacheControl: 'no-store' }
const NOT_FOUND = { status: 404, error: 'not_found', cacheControl: 'no-store' }
const keptOf = async (name: string) =>
  (await env.BLOBS.list({ prefix: 'ipfs/' })).objects.filter(({ key }) => key.endsWith(name))

describe('the gateway', () => {
  it.each([404, 410])('answering %i does not have the content', async (status) => {
    const leaf = await leafOf(sample(100, status))
    gatewayWith().answers('*', () => new Response('gone', { status }))
    expect(await refusal(leaf.name)).toEqual(NOT_FOUND)
  })

  it.each([400, 401, 403, 429, 500, 502, 504])('answering %i leaves it unknown', async (status) => {
    const leaf = await leafOf(sample(100, status))
    gatewayWith(leaf).answers(leaf.name, () => new Response(leaf.bytes, { status }))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
  })

  it('that is unreachable leaves it unknown', async () => {
    const leaf = await leafOf(sample(100, 11))
    gatewayWith(leaf).answers(leaf.name, () => Promise.reject(new TypeError('connection refused')))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
  })

  it('times out if it does not answer', async () => {
    const leaf = await leafOf(sample(100, 12))
    gatewayWith(leaf).answers(leaf.name, silent)
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    expect(timeout).toHaveBeenCalledExactlyOnceWith(10_000)
  })

  it('that stops in the middle of a block leaves it unknown', async () => {
    const leaf = await leafOf(sample(100, 13))
    const half = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(leaf.bytes.subarray(0, 50))
        controller.error(new Error('connection reset'))
      },
    })
    gatewayWith(leaf).answers(leaf.name, () => new Response(half))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    expect(await keptOf(leaf.name)).toEqual([])
  })

  it.each([
    ['another block', sample(100, 21)],
    ['one byte too many', new Uint8Array([...sample(100, 14), 0])],
    ['one byte too few', sample(99, 14)],
    ['nothing', new Uint8Array()],
  ])('that gives %s is not believed, and nothing of it is kept', async (_, lie) => {
    const leaf = await leafOf(sample(100, 14))
    const gateway = gatewayWith(leaf).answers(leaf.name, () => new Response(lie))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    expect(await keptOf(leaf.name)).toEqual([])
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    expect(gateway.asked).toEqual([leaf.name, leaf.name])
  })

  it('cannot redirect', async () => {
    const leaf = await leafOf(sample(100, 15))
    const elsewhere = await leafOf(sample(100, 16))
    const location = `${GATEWAY}/ipfs/${elsewhere.name}?format=raw`
    const gateway = gatewayWith(leaf, elsewhere)
    for (const status of [301, 302, 303, 307, 308]) {
      gateway.answers(leaf.name, () => new Response(null, { status, headers: { location } }))
      expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    }
    expect(new Set(gateway.asked)).toEqual(new Set([leaf.name]))
  })

  it('can return a block of 2 MiB and not a byte more', async () => {
    const largest = await leafOf(sample(2 * 1024 * 1024))
    const larger = await leafOf(sample(2 * 1024 * 1024 + 1))
    gatewayWith(largest, larger)
    expect((await cidOf((await get(largest.name)).bytes, 0x55)).equals(largest.cid)).toBe(true)
    expect(await refusal(larger.name)).toEqual(UNAVAILABLE)
  })

  it('that never stops sending is cut off at the limit', async () => {
    const leaf = await leafOf(sample(100, 17))
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    gatewayWith().answers(leaf.name, () => new Response(endless))
    expect(await refusal(leaf.name)).toEqual(UNAVAILABLE)
    expect(sent).toBeLessThan(3 * 1024 * 1024)
  })

  it('is optional: without one, only stored content can be read', async () => {
    const [kept, other] = [await leafOf(sample(100, 18)), await leafOf(sample(100, 19))]
    const gateway = gatewayWith(kept, other)
    await get(kept.name)
    const none = sendWith({ IPFS_GATEWAY: '' })
    expect((await get(kept.name, none)).bytes).toEqual(kept.bytes)
    expect((await get(other.name, none)).status).toBe(404)
    expect(gateway.asked).toEqual([kept.name])
  })
})

describe('the cache', () => {
  it('answers while the gateway is down', async () => {
    const { root, blocks, bytes } = await fileOf(sample(3_500, 31))
    const gateway = gatewayWith(...blocks)
    await get(root.name)
    gateway.answers('*', () => new Response(null, { status: 502 }))
    expect(await get(root.name)).toEqual({ status: 200, bytes })
  })

  it('is checked first, so that a block is fetched once', async () => {
    const leaf = await leafOf(sample(500, 32))
    const root = await nodeOf([leaf, leaf, leaf])
    const gateway = gatewayWith(leaf, root)
    for (let i = 0; i < 3; i += 1) expect((await get(root.name)).bytes).toHaveLength(1_500)
    expect(gateway.asked).toEqual([root.name, leaf.name])
  })

  it('keeps a block for a week', async () => {
    const leaf = await leafOf(sample(500, 33))
    const gateway = gatewayWith(leaf)
    const start = Date.now()
    await get(leaf.name)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(start + 7 * DAY_MS - 60_000)
    await get(leaf.name)
    expect(gateway.asked).toHaveLength(1)
    vi.setSystemTime(start + 7 * DAY_MS + 60_000)
    expect((await get(leaf.name)).bytes).toEqual(leaf.bytes)
    expect(gateway.asked).toHaveLength(2)
  })

  it('uses canonical names and stores no rejected block', async () => {
    const [good, bad] = [await leafOf(sample(500, 34)), await leafOf(sample(500, 35))]
    gatewayWith(good, bad).answers(bad.name, () => new Response(good.bytes))
    await get(good.name)
    await get(bad.name)
    expect((await keptOf(good.name)).map(({ key }) => key)).toEqual([`ipfs/cache/${good.name}/${good.name}`])
    expect(await keptOf(bad.name)).toEqual([])
  })

  it('being unavailable is a fault, not missing content', async () => {
    const leaf = await leafOf(sample(500, 36))
    gatewayWith(leaf)
    const broken = { get: () => Promise.reject(new Error('R2 is down')), put: () => Promise.reject(new Error('R2')) }
    expect((await get(leaf.name, sendWith({ BLOBS: broken }))).status).toBe(503)
  })
})
