import { env } from 'cloudflare:workers'
import type { ProvenanceCapabilities } from '@svc/protocol/provenance/api'
import { coreAnswering, descriptionBattery, objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

const CHECKS = ['core', 'pay', 'database', 'blobs', 'openNonces', 'capsules', 'vectors', 'counters']
const gone = () => Promise.reject(new Error('gone'))
const goneObjects = { getByName: () => new Proxy({}, { get: () => gone }) }

const FRAMEWORK = ['/.well-known/svc', '/openapi.json']

/** Absent on a machine that takes longer than /health waits. */
function queuesOf(body: unknown) {
  const { queues } = (body as { data: { queues?: object } }).data
  const waiting = { depth: expect.any(Number) as unknown, oldestAgeSeconds: expect.any(Number) as unknown }
  return queues ? { queues: { 'vector checks': waiting, 'vector removals': waiting } } : {}
}

descriptionBattery({ service, send, base: BASE, examples })

objectCommitsBattery({
  service,
  send,
  base: BASE,
  bindings: ['OPEN_NONCES', 'COUNTERS', 'VECTOR_INDEX', 'CAPSULE_BUCKETS', 'CAPSULE_OWNERS'],
})

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
        cryptography: 'native',
        ...queuesOf(body),
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
    ['openNonces', { OPEN_NONCES: goneObjects }],
    ['capsules', { CAPSULE_BUCKETS: goneObjects }],
    ['vectors', { VECTOR_INDEX: goneObjects }],
    ['vectors', { VIDEO_VECTORS: { describe: gone } }],
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

  it('lists every route of its own in its capabilities', async () => {
    const { status, body } = await get('/api/capabilities')
    expect(status).toBe(200)
    const { data } = body as { data: ProvenanceCapabilities }
    const listed = data.endpoints.map(({ method, path }) => `${method} ${path}`)
    const served = Object.entries(committed.paths)
      .filter(([path]) => !FRAMEWORK.includes(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => !route.startsWith('HEAD '))
    expect(listed.toSorted()).toEqual(served.toSorted())
    expect(data).toMatchObject({
      algorithms: { signature: ['ml-dsa-65'], hash: ['sha3-384'] },
      features: { chainBinding: true, ledgerPublication: false },
      rateLimits: { advisory: true },
      limits: { verifyBatchItems: 100 },
    })
  })

  it.each(['/', '/api/docs'])('serves %s as a page that may load its own style and nothing else', async (path) => {
    const { status, body, headers } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = String(body)
    expect(html).toContain('<!doctype html>')
    expect(html).not.toMatch(/<script|<img|<link|<form| style=| on\w+=/)
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${Buffer.from(digest).toString('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  it('lists its endpoints for people', async () => {
    expect(String((await get('/api/docs')).body)).toContain('<code>POST /api/verify/batch</code>')
  })

  it('says that no ledger backs anything', async () => {
    const { body } = await get('/api/anchor/status')
    expect(body).toMatchObject({
      data: {
        automaticPublication: { enabled: false, trigger: 'off' },
        ledgers: {
          first: { enabled: false, status: 'manual', network: 'test', epochs: [] },
          second: { enabled: false, status: 'not-implemented' },
        },
        registrationsAreLedgerBacked: false,
      },
    })
  })
})
