import { ALLOWED_ORIGIN, exhaust, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const PREFLIGHT = { origin: ALLOWED_ORIGIN, 'access-control-request-method': 'GET' }
const prober = new Prober({ service, send, base: BASE })

describe('the limit of sign-in', () => {
  it('is 20 a minute for an address on everything but /health', async () => {
    const { address, within, beyond } = await exhaust(prober, { method: 'POST', path: '/api/auth/no/such/route' }, 20)
    expect(within.map(({ error }) => error)).toEqual(Array(20).fill('Not found'))
    expect(beyond.status).toBe(429)
    expect(beyond.body).toEqual({ success: false, error: 'Rate limit exceeded', retryAfter: 60, tier: 'sign-in' })
    expect(beyond.headers.get('retry-after')).toBe('60')

    for (const path of ['/openapi.json', '/', '/health/', '/api/capabilities']) {
      expect((await prober.send({ method: 'GET', path, address })).status, path).toBe(429)
    }
    expect((await prober.send({ method: 'GET', path: '/health', address })).status).toBe(200)
    expect((await prober.send({ method: 'HEAD', path: '/health', address })).status).toBe(200)
    expect((await prober.send({ method: 'OPTIONS', path: '/openapi.json', headers: PREFLIGHT, address })).status).toBe(
      204,
    )
  })

  it('counts the addresses of one /64 together', async () => {
    const probe = (host: string) =>
      prober.send({ method: 'GET', path: '/x', address: `2001:db8:aaaa:${network}::${host}` })
    const network = crypto.getRandomValues(new Uint16Array(1))[0]?.toString(16)
    const exchanges = await Promise.all(Array.from({ length: 42 }, (_, i) => probe((i + 1).toString(16))))
    expect(exchanges.some(({ status }) => status === 429)).toBe(true)
  })
})
