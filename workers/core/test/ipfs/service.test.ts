import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { call, freshCaller, sendWith } from '../harness.ts'
import { silent } from './ipfs.fixture.ts'

const CID = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const ENDPOINT = 'https://pinning.test/psa'
const TOKEN = 'token-of-the-tests-only'
const EXTERNAL = { PINNING_PROVIDER: 'external-http', PINNING_ENDPOINT: ENDPOINT, PINNING_TOKEN: TOKEN }
const external = sendWith(EXTERNAL)

type Status = 'queued' | 'pinning' | 'pinned' | 'failed'

/** A service with the IPFS Pinning Service API: POST /pins creates a pin each time, GET /pins/{requestid} reads one. */
class FakePinningService {
  readonly asked: { method: string; path: string; body: unknown; headers: Headers }[] = []
  readonly pins = new Map<string, { status: Status; pin: unknown }>()
  next: Status = 'queued'
  answer: ((init: RequestInit) => Response | Promise<Response>) | undefined

  constructor() {
    vi.stubGlobal('fetch', this.fetch)
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (!url.startsWith(`${ENDPOINT}/pins`)) throw new Error(`nothing is asked at ${url}`)
    const [method, path, headers] = [init.method ?? 'GET', url.slice(ENDPOINT.length), new Headers(init.headers)]
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    this.asked.push({ method, path, body, headers })
    if (this.answer) return this.answer(init)
    if (headers.get('authorization') !== `Bearer ${TOKEN}`) return failure(401, 'UNAUTHORIZED')
    if (method === 'POST' && path === '/pins') {
      const requestid = `request/${this.pins.size + 1}`
      this.pins.set(requestid, { status: this.next, pin: body })
      return this.#tell(requestid, 202)
    }
    const requestid = decodeURIComponent(path.slice('/pins/'.length))
    if (method === 'DELETE') {
      return this.pins.delete(requestid) ? new Response(null, { status: 202 }) : failure(404, 'NOT_FOUND')
    }
    return this.pins.has(requestid) ? this.#tell(requestid, 200) : failure(404, 'NOT_FOUND')
  }

  #tell(requestid: string, status: number): Response {
    const created = '2026-11-21T12:00:00Z'
    return Response.json({ requestid, created, delegates: [], ...this.pins.get(requestid) }, { status })
  }
}

const failure = (status: number, reason: string) => Response.json({ error: { reason } }, { status })
const post = async (caller: Awaited<ReturnType<typeof freshCaller>>, body: object = { cid: CID }, fetch = external) =>
  call(caller, 'POST', '/api/ipfs/pin', body, fetch)

describe('a pin at a pinning service', () => {
  it('is requested through the API, with the token, and returned as the service reports it', async () => {
    const service = new FakePinningService()
    const { client, identity } = await freshCaller({ fetch: external })
    expect(await client.account.pin(CID, 'holiday.mp4')).toEqual({
      cid: CID,
      name: 'holiday.mp4',
      provider: 'external-http',
      status: 'queued',
      bytes: null,
      pinnedAt: expect.any(Number),
    })
    expect(service.asked).toMatchObject([{ method: 'POST', path: '/pins', body: { cid: CID, name: 'holiday.mp4' } }])
    expect(service.asked[0]?.headers.get('content-type')).toBe('application/json')
    const rows = await env.DB.prepare('SELECT status, request_id FROM pins WHERE did = ?').bind(identity.did).all()
    expect(rows.results).toEqual([{ status: 'queued', request_id: 'request/1' }])
  })

  it('is polled until it is pinned, and created once', async () => {
    const service = new FakePinningService()
    const { client } = await freshCaller({ fetch: external })
    const first = await client.account.pin(CID)
    service.pins.set('request/1', { status: 'pinning', pin: { cid: CID } })
    expect(await client.account.pin(CID)).toEqual({ ...first, status: 'pinning' })
    service.pins.set('request/1', { status: 'pinned', pin: { cid: CID } })
    expect(await client.account.pin(CID)).toEqual({ ...first, status: 'pinned' })
    expect((await client.account.pin(CID)).status).toBe('pinned')
    expect(service.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /pins',
      'GET /pins/request%2F1',
      'GET /pins/request%2F1',
    ])
  })

  it('that failed, or that the service has forgotten, is created again', async () => {
    const service = new FakePinningService()
    const { client } = await freshCaller({ fetch: external })
    service.next = 'failed'
    expect((await client.account.pin(CID)).status).toBe('failed')
    service.next = 'queued'
    expect((await client.account.pin(CID)).status).toBe('queued')
    service.pins.delete('request/2')
    service.next = 'pinned'
    expect((await client.account.pin(CID)).status).toBe('pinned')
    expect(service.asked.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  it('is removed there too, and stays listed while the service cannot be reached', async () => {
    const service = new FakePinningService()
    const { client } = await freshCaller({ fetch: external })
    await client.account.pin(CID)
    service.answer = () => failure(500, 'INTERNAL_SERVER_ERROR')
    await expect(client.account.unpin(CID)).rejects.toMatchObject({ status: 503 })
    expect((await client.account.pins()).pins).toHaveLength(1)
    service.answer = undefined
    await client.account.unpin(CID)
    expect(service.pins.size).toBe(0)
    expect((await client.account.pins()).pins).toEqual([])
  })

  it('stays where it is when the deployment changes its provider', async () => {
    const service = new FakePinningService()
    const caller = await freshCaller()
    service.next = 'pinned'
    const { body } = await post(caller)
    const again = await call(caller, 'POST', '/api/ipfs/pin', { cid: CID })
    expect(again.body['data']).toEqual(body['data'])
  })
})

describe('a pinning service', () => {
  it.each<[string, () => Response | Promise<Response>]>([
    ['is broken', () => failure(500, 'INTERNAL_SERVER_ERROR')],
    ['is overloaded', () => new Response(null, { status: 503 })],
    ['takes no more pins', () => failure(409, 'INSUFFICIENT_FUNDS')],
    ['does not take the token', () => failure(401, 'UNAUTHORIZED')],
    ['knows no such route', () => failure(404, 'NOT_FOUND')],
    [
      'sends elsewhere',
      () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.test/pins' } }),
    ],
    ['answers something other than JSON', () => new Response('<html>', { status: 202 })],
    ['names no request', () => Response.json({ status: 'queued' }, { status: 202 })],
    ['names a status that there is not', () => Response.json({ requestid: 'a', status: 'soon' }, { status: 202 })],
    ['cannot be reached', () => Promise.reject(new TypeError('connection refused'))],
  ])('that %s makes no pin', async (_, answer) => {
    const caller = await freshCaller()
    new FakePinningService().answer = answer
    expect(await post(caller)).toMatchObject({ status: 503, body: { error: 'dependency_unavailable' } })
    const rows = await env.DB.prepare('SELECT cid FROM pins WHERE did = ?').bind(caller.identity.did).all()
    expect(rows.results).toEqual([])
  })

  it('that answers 200 in place of 202 is understood', async () => {
    const caller = await freshCaller()
    new FakePinningService().answer = () => Response.json({ requestid: 'a', status: 'pinned' })
    expect((await post(caller)).status).toBe(200)
  })

  it('times out if it does not answer', async () => {
    const caller = await freshCaller()
    new FakePinningService().answer = silent
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    expect((await post(caller)).status).toBe(503)
    expect(timeout).toHaveBeenCalledExactlyOnceWith(10_000)
  })

  it('is not called without a token', async () => {
    const service = new FakePinningService()
    const tokenless = sendWith({ PINNING_PROVIDER: 'external-http', PINNING_ENDPOINT: ENDPOINT })
    expect((await post(await freshCaller(), { cid: CID }, tokenless)).status).toBe(503)
    expect(service.asked).toEqual([])
  })

  it('is not called for content that could not be verified when read back', async () => {
    const service = new FakePinningService()
    const cid = 'bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
    expect(await post(await freshCaller(), { cid })).toMatchObject({ status: 400, body: { error: 'cid_unsupported' } })
    expect(service.asked).toEqual([])
  })
})

describe('capabilities', () => {
  it.each([
    ['object-store', { pinning: true, provider: 'object-store' }],
    ['external-http', { pinning: true, provider: 'external-http' }],
    ['off', { pinning: false, provider: 'object-store' }],
  ])('say what pins where the provider is %s', async (provider, expected) => {
    const { client } = await freshCaller({ genesis: false, fetch: sendWith({ PINNING_PROVIDER: provider }) })
    expect((await client.capabilities()).storage).toEqual({
      default: 'ipfs',
      gateway: 'https://core.test/ipfs/',
      providers: ['object-store', 'external-http'],
      ...expected,
    })
  })
})
