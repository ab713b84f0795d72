import { env } from 'cloudflare:workers'
import { coreAnswering, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

const CHECKS = ['core', 'pay', 'database', 'blobs', 'nonces', 'counters']
const gone = () => Promise.reject(new Error('gone'))
const goneObjects = { getByName: () => new Proxy({}, { get: () => gone }) }

describe('discovery of provenance', () => {
  it('is healthy when every check passes', async () => {
    const { status, body, headers } = await get('/health')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        service: 'provenance',
        version: '0.2.3',
        commit: 'unknown',
        checks: Object.fromEntries(CHECKS.map((name) => [name, { ok: true, milliseconds: expect.any(Number) }])),
      },
      timestamp: expect.any(Number),
      requestId: headers.get('x-request-id'),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['throws', () => Promise.reject(new Error('gone'))],
    ['answers 500', async () => Response.json({ error: 'internal_error' }, { status: 500 })],
    ['answers for another service', async () => Response.json({ service: 'keys', version: '1' })],
  ])('is not healthy when core %s', async (_, answer) => {
    const replaced = { ...env, CORE: coreAnswering(answer) }
    const cut = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, replaced) })
    const { status, body, headers } = await cut.send({ method: 'GET', path: '/health' })
    expect(status).toBe(503)
    expect(body).toMatchObject({
      success: false,
      error: 'dependency_unavailable',
      details: { checks: { core: { ok: false } } },
      requestId: headers.get('x-request-id'),
    })
  })

  it.each<[string, object]>([
    ['pay', { PAY: coreAnswering(gone) }],
    ['pay', { PAY: env.CORE }],
    ['database', { DB: { prepare: () => ({ bind: () => ({ first: gone }) }) } }],
    ['blobs', { BLOBS: { head: gone } }],
    ['nonces', { NONCES: goneObjects }],
    ['counters', { COUNTERS: goneObjects }],
  ])('is not healthy without %s', async (name, replaced) => {
    const app = service.app
    const cut = new Prober({
      service,
      base: BASE,
      send: async (request) => app.fetch(request, { ...env, ...replaced }),
    })
    const { status, body } = await cut.send({ method: 'GET', path: '/health' })
    expect(status).toBe(503)
    const { checks } = (body as { details: { checks: Record<string, { ok: boolean }> } }).details
    expect(Object.keys(checks).filter((check) => checks[check]?.ok === false)).toEqual([name])
  })

  it('serves the committed description', async () => {
    const { body, headers } = await get('/openapi.json')
    expect(body).toEqual(committed)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '0.2.3' } })
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })
})
