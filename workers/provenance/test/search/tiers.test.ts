import { env } from 'cloudflare:workers'
import { expectRefusal, forgedAssertion } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import { post } from '../text/text.fixture.ts'

const ROUTES = [
  '/api/query/text',
  '/api/search/semantic',
  '/api/search/fragment',
  '/api/search/video',
  '/api/search/video/fragment',
]
const vectors = [Array<number>(256).fill(1)]
const bodyFor = (path: string) =>
  path === '/api/query/text' ? { vectors, word_count: 9, chunk_count: 1 } : { vectors }
const limits = (headers: Headers) => ['limit', 'tier', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))

describe.each(ROUTES)('the limit of %s', (path) => {
  it('is ten without a valid assertion, and every response reports it', async () => {
    const by = await caller()
    const { address } = by
    const presented = [
      undefined,
      { assertion: async () => 'Bearer x' },
      { assertion: async () => forgedAssertion('provenance') },
      { assertion: async () => by.assertion('') },
      { assertion: async () => by.assertion('chain') },
    ]
    for (const presenter of presented) {
      const { status, headers } = await post(path, bodyFor(path), presenter, { address })
      expect([status, ...limits(headers)]).toEqual([200, '10', 'anonymous', null])
    }
    for (const wrong of ['{', '{}', '[]', { vectors: Array.from({ length: 300 }, () => [1]) }, { vectors: [] }]) {
      const { status, headers } = await post(path, wrong, undefined, { address })
      expect([400, 413]).toContain(status)
      expect(limits(headers)).toEqual(['10', 'anonymous', null])
    }
    const { status, headers, body } = await post(path, bodyFor(path), undefined, { address })
    expect([status, ...limits(headers), headers.get('retry-after')]).toEqual([429, '10', 'anonymous', '0', '60'])
    expect(body).toEqual({
      success: false,
      error: 'Rate limit exceeded',
      requestId: headers.get('x-request-id'),
      tier: 'anonymous',
      retryAfter: 60,
    })
    // A good assertion is counted elsewhere.
    const lifted = await post(path, bodyFor(path), by, { address })
    expect([lifted.status, ...limits(lifted.headers)]).toEqual([200, '60', 'authenticated', null])
  })
})

describe('the limits of searches', () => {
  it('are one for all routes and addresses of an identity: sixty', async () => {
    const by = await caller()
    for (let i = 0; i < 60; i++) {
      const path = ROUTES[i % ROUTES.length] ?? ''
      const { status, headers } = await post(path, i % 7 === 0 ? '{' : bodyFor(path), by, {
        address: `2001:db8:6:${i}::1`,
      })
      expect([200, 400]).toContain(status)
      expect(limits(headers)).toEqual(['60', 'authenticated', null])
    }
    for (const path of ROUTES) {
      const { status, headers, body } = await post(path, bodyFor(path), by, { address: '2001:db8:6:ff::1' })
      expect([status, ...limits(headers), headers.get('retry-after')]).toEqual([429, '60', 'authenticated', '0', '60'])
      expect(body).toMatchObject({ tier: 'authenticated', retryAfter: 60 })
    }
    expect((await post(ROUTES[0] ?? '', bodyFor(ROUTES[0] ?? ''), await caller())).status).toBe(200)
  }, 60_000)

  it('are one for all routes of an address: ten', async () => {
    const address = '2001:db8:aa:1::1'
    for (let i = 0; i < 10; i++) {
      const path = ROUTES[i % ROUTES.length] ?? ''
      expect((await post(path, bodyFor(path), undefined, { address })).status).toBe(200)
    }
    for (const path of ROUTES) expect((await post(path, bodyFor(path), undefined, { address })).status).toBe(429)
  })

  describe('where the tier of the address refuses', () => {
    const replaced = { LIMIT_60: { limit: async () => ({ success: false }) } }
    const path = '/api/search/video'
    const refusedFor = async (
      by: { assertion: (audience: string) => Promise<string> } | undefined,
      address?: string,
    ) => {
      const { status, headers, body } = await post(path, { vectors }, by, { replaced, ...(address ? { address } : {}) })
      expect(status).toBe(429)
      expect(body).toMatchObject({ tier: 'ai-search', retryAfter: 60 })
      expect(headers.get('retry-after')).toBe('60')
      return limits(headers)
    }

    it('name the caller’s own tier, while the body names the one that refused', async () => {
      expect(await refusedFor(await caller())).toEqual(['60', 'authenticated', '0'])
      expect(await refusedFor(await device())).toEqual(['60', 'authenticated', '0'])
      expect(await refusedFor(undefined)).toEqual(['10', 'anonymous', '0'])
    })

    it('name the anonymous tier for what does not make a caller', async () => {
      const by = await caller()
      const presented = [
        { assertion: async () => 'Bearer x' },
        { assertion: async () => forgedAssertion('provenance') },
        { assertion: async () => by.assertion('chain') },
        { assertion: async () => by.assertion('provenance', { expiresAt: Date.now() - 600_000 }) },
        await caller({ genesis: false }),
      ]
      for (const other of presented) expect(await refusedFor(other)).toEqual(['10', 'anonymous', '0'])
    })

    it('spend nothing', async () => {
      const by = await caller()
      const authorization = await by.assertion('provenance')
      const same = { assertion: async () => authorization }
      expect(await refusedFor(same)).toEqual(['60', 'authenticated', '0'])
      expect(await refusedFor(same)).toEqual(['60', 'authenticated', '0'])
      const lifted = await post(path, { vectors }, same)
      expect([lifted.status, ...limits(lifted.headers)]).toEqual([200, '60', 'authenticated', null])
    })

    it('cost ten verifications in a minute for an address, and are those of anonymous callers from then on', async () => {
      const by = await caller()
      for (;;) {
        const minute = Math.floor(Date.now() / 60_000)
        const address = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:ff::1`
        const told: (string | null)[] = []
        for (let i = 0; i < 11; i += 1) told.push((await refusedFor(by, address))[1] ?? null)
        if (Math.floor(Date.now() / 60_000) !== minute) continue
        expect(told).toEqual([...Array<string>(10).fill('authenticated'), 'anonymous'])
        return
      }
    }, 30_000)
  })

  it('let nobody through while they cannot be counted', async () => {
    const gone = () => Promise.reject(new Error('gone'))
    const replaced = { COUNTERS: { getByName: () => ({ take: gone }) } }
    for (const path of ROUTES) {
      const refused = await post(path, bodyFor(path), await caller(), { replaced })
      expectRefusal(refused, 'dependency_unavailable')
      expect(limits(refused.headers)).toEqual(['60', 'authenticated', null])
    }
    expect(env.COUNTERS).toBeDefined()
  })

  it('a replayed assertion and one that core cannot vouch for are anonymous', async () => {
    const by = await caller()
    const authorization = await by.assertion('provenance')
    const again = { assertion: async () => authorization }
    const path = '/api/search/semantic'
    expect((await post(path, { vectors }, again)).headers.get('x-ratelimit-tier')).toBe('authenticated')
    expect((await post(path, { vectors }, again)).headers.get('x-ratelimit-tier')).toBe('anonymous')
    const stranger = await caller({ genesis: false })
    expect((await post(path, { vectors }, stranger)).headers.get('x-ratelimit-tier')).toBe('anonymous')
  })
})
