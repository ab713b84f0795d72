import { env } from 'cloudflare:workers'
import { ALLOWED_ORIGIN, EMERGENCY_LIMIT, exhaust, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const PREFLIGHT = { origin: ALLOWED_ORIGIN, 'access-control-request-method': 'GET' }
const prober = new Prober({ service, send, base: BASE })

describe('limits of the key directory', () => {
  it('says of a retired route that it is gone, and meters it by its tier', async () => {
    const probe = { method: 'POST', path: '/api/key/revoke' }
    const { address, within, beyond } = await exhaust(prober, probe, 5)
    expect(within.map(({ error }) => error)).toEqual(Array(5).fill('endpoint_retired'))
    expect(beyond.body).toEqual({ success: false, error: 'Rate limit exceeded', retryAfter: 60, tier: 'key-revoke' })
    expect((await prober.send({ ...probe, address, headers: { origin: ALLOWED_ORIGIN } })).status).toBe(429)
    expect((await prober.send({ ...probe, address, headers: { authorization: 'Bearer x' } })).status).toBe(429)
    expect((await prober.send({ method: 'OPTIONS', path: probe.path, headers: PREFLIGHT, address })).status).toBe(204)
  })

  it('meters neither /health nor /api/capabilities', async () => {
    // With its bindings gone the limiter lets ten requests of an address through and no more.
    const unbound = Object.fromEntries(
      Object.keys(env).map((name) => [name, name.startsWith('LIMIT_') ? undefined : env[name as keyof Env]]),
    )
    const bare = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, unbound) })
    const { address } = await exhaust(bare, { method: 'GET', path: '/openapi.json' }, EMERGENCY_LIMIT)
    for (let i = 0; i < 2 * EMERGENCY_LIMIT; i += 1) {
      expect((await bare.send({ method: 'GET', path: '/health', address })).status).toBe(200)
      expect((await bare.send({ method: 'GET', path: '/api/capabilities', address })).status).not.toBe(429)
    }
    const refused = await bare.send({ method: 'GET', path: '/openapi.json', address })
    expect(refused).toMatchObject({ status: 429, body: { tier: 'emergency' } })
  })
})
