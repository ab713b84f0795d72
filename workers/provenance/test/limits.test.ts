import { exhaust, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, caller, send, sendWith } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })

describe('limits of provenance', () => {
  it.each([
    ['POST', '/api/commitment', 20, 'register'],
    ['GET', '/api/commitment/x', 20, 'register'],
    ['POST', '/api/search/unknown', 60, 'ai-search'],
    ['POST', '/api/verify/batch', 100, 'verify-batch'],
  ])('meters %s %s at %i and quotes the request', async (method, path, limit, tier) => {
    const { beyond } = await exhaust(prober, { method, path }, limit)
    expect(beyond.status).toBe(429)
    expect(beyond.headers.get('retry-after')).toBe('60')
    expect(beyond.body).toEqual({
      success: false,
      error: 'Rate limit exceeded',
      retryAfter: 60,
      tier,
      requestId: beyond.headers.get('x-request-id'),
    })
  })
})

describe('registrations of one identity', () => {
  it.each([
    ['/api/register', 60],
    ['/api/register/video', 20],
  ])(
    'at %s are %i in a minute, whatever the address, and refused before anything is looked at',
    async (path, limit) => {
      const [by, other] = [await caller(), await caller()]
      const post = async (who: typeof by) =>
        prober.send({ method: 'POST', path, headers: { authorization: await who.assertion('provenance') }, body: '{}' })
      const within = await Promise.all(Array.from({ length: limit }, () => post(by)))
      expect(new Set(within.map(({ status }) => status))).toEqual(new Set([400]))
      const beyond = await post(by)
      expect(beyond).toMatchObject({ status: 429, body: { error: 'Rate limit exceeded', tier: 'registration' } })
      expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(beyond.body).toMatchObject({ requestId: beyond.headers.get('x-request-id') })
      expect((await post(other)).status).toBe(400)
      const elsewhere = path === '/api/register' ? '/api/register/video' : '/api/register'
      const authorization = await by.assertion('provenance')
      const apart = await prober.send({ method: 'POST', path: elsewhere, headers: { authorization }, body: '{}' })
      expect(apart.status).toBe(400)
    },
    30_000,
  )

  it('are refused while they cannot be counted', async () => {
    const COUNTERS = { getByName: () => ({ take: () => Promise.reject(new Error('gone')) }) }
    const blind = new Prober({ service, send: sendWith({ COUNTERS }), base: BASE })
    const authorization = await (await caller()).assertion('provenance')
    const refused = await blind.send({ method: 'POST', path: '/api/register', headers: { authorization }, body: '{}' })
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
  })
})
