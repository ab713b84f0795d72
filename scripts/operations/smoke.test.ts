import { isProtected, readApi } from '@svc/platform/documented-api'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { smoke } from './smoke.ts'

const HEADERS = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'content-security-policy': "default-src 'none'",
  'x-request-id': '7c2d3f0e-8f5b-4f0c-9a61-2f4f6f0b8a11',
}
const ORIGIN = 'https://app.test'
const api = readApi()

/** Responses by `METHOD /path`, or by path for every method. */
type Change = Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>

/** The value that `{x}` is called with. */
const filled = (template: string) => template.replaceAll(/\{\w+\}/g, 'x')
const lockedOf = (service: WorkerName) =>
  api.operations
    .filter((operation) => operation.service === service && isProtected(operation))
    .map(({ method, template }) => `${method} ${filled(template)}`)

interface Asked {
  readonly route: string
  readonly origin: string | null
}

/** The pointer and the document in one: the fake answers every host alike. */
const discoveredBy = (service: WorkerName) => ({
  ...(service === 'core' ? {} : { discovery: 'https://core.test/.well-known/svc' }),
  realm: 'https://core.test',
  services: { [service]: { url: `https://${service}.test` } },
})

/** A correct service, except for what a test changes. Records its requests. */
function serviceOf(service: WorkerName, changes: Change = {}, asked: Asked[] = []) {
  const locked = new Set(lockedOf(service))
  const gone = new Map(api.retiredOf(service).map(({ path, error }) => [filled(path), error]))
  return (async (input: string | URL, init: RequestInit = {}) => {
    const path = new URL(input).pathname
    const { method = 'GET' } = init
    const route = `${method} ${path}`
    const origin = new Headers(init.headers).get('origin')
    asked.push({ route, origin })
    const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
    let good: { status: number; body: unknown } = { status: 200, body: { service, version: '1', commit: 'c0ffee' } }
    if (path === '/health/objects')
      good = { status: 200, body: { service, commit: 'c0ffee', objects: { A: 'c0ffee', B: 'c0ffee' } } }
    if (path === '/openapi.json') good = { status: 200, body: { openapi: '3.1.0', paths: { '/api/capabilities': {} } } }
    if (path === '/.well-known/svc') good = { status: 200, body: discoveredBy(service) }
    if (path === '/api/internal/health') good = refused(404, 'not_found')
    if (locked.has(route)) good = refused(401, 'unauthorized')
    if (gone.has(path)) good = refused(410, gone.get(path) ?? '')
    if (method === 'OPTIONS') good = { status: 204, body: null }
    const { status, body, headers } = { headers: {}, ...good, ...changes[path], ...changes[route] }
    return new Response(status === 204 ? null : JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } })
  }) as typeof fetch
}

async function faultsOf(service: WorkerName, changes: Change, options: { sha?: string; origin?: string } = {}) {
  const { checks } = await smoke(`https://${service}.test/`, { fetch: serviceOf(service, changes), ...options })
  return checks.filter(({ fault }) => fault !== null)
}

describe.each(WORKER_NAMES)('smoke of %s', (service) => {
  const locked = lockedOf(service)
  const retired = api.retiredOf(service)

  it('passes a correct service', async () => {
    expect(await faultsOf(service, {}, { sha: 'c0ffee' })).toEqual([])
  })

  it('calls each protected and each retired route once, with the given Origin', async () => {
    const asked: Asked[] = []
    await smoke(`https://${service}.test`, { fetch: serviceOf(service, {}, asked), origin: ORIGIN })
    for (const route of [...locked, ...retired.map(({ path }) => `GET ${filled(path)}`)])
      expect(asked.filter((one) => one.route === route).length, route).toBe(1)
    expect(asked.filter(({ origin }) => origin === ORIGIN).map(({ route }) => route)).toEqual(locked)
  })

  it('finds protected routes that are open, gone or failing', async () => {
    for (const status of [200, 400, 403, 404, 500]) {
      for (const route of locked) {
        const [found] = await faultsOf(service, { [route]: { status } })
        expect(found?.name, route).toContain('protected routes without a credential')
        expect(found?.fault).toContain(`answers ${status} unauthorized instead of 401`)
      }
    }
  })

  it('finds retired routes that still answer, or with another error', async () => {
    for (const { path, error } of retired) {
      const alive = await faultsOf(service, { [filled(path)]: { status: 200, body: {} } })
      expect(alive.map(({ fault }) => fault)).toEqual([`${path} answers 200 without an error name instead of ${error}`])
      const other = await faultsOf(service, { [filled(path)]: { status: 410, body: { error: 'gone' } } })
      expect(other.map(({ fault }) => fault)).toEqual([`${path} answers 410 gone instead of ${error}`])
    }
  })
})

describe('smoke', () => {
  it('checks protected routes and retired routes wherever a service has them', () => {
    expect(WORKER_NAMES.filter((service) => lockedOf(service).length === 0)).toEqual(['docs'])
    expect(WORKER_NAMES.filter((service) => api.retiredOf(service).length > 0)).toEqual(['core', 'keys', 'pay'])
  })

  it('treats a route as protected if it requires a credential, not if a credential only raises limits', () => {
    expect(lockedOf('consent')).toEqual(['PUT /api/v1/consent/x', 'DELETE /api/v1/consent/x', 'POST /api/v1/consent'])
    expect(lockedOf('provenance')).toContain('POST /api/register/text')
    expect(lockedOf('provenance')).not.toContain('POST /api/query/text')
    expect(lockedOf('core')).toContain('GET /api/chain/head')
    expect(lockedOf('core')).not.toContain('POST /api/genesis/init')
  })

  it('accepts a refused Origin for a write only if no Origin was given', async () => {
    const write = 'POST /1.0/register'
    const refused = { [write]: { status: 403, body: { error: 'cors_denied', status: 403 } } }
    expect(await faultsOf('did', refused)).toEqual([])
    const fault = 'POST /1.0/register answers 403 cors_denied instead of 401'
    expect((await faultsOf('did', refused, { origin: ORIGIN })).map((check) => check.fault)).toEqual([fault])
    const read = { 'GET /api/rotation/request': { status: 403, body: { error: 'cors_denied' } } }
    expect(await faultsOf('did', read)).toHaveLength(1)
  })

  it.each<[string, Change, string]>([
    ['a service that is down', { '/health': { status: 503 } }, 'answers 503'],
    ['a service without a name', { '/health': { body: {} } }, 'does not report its name'],
    [
      'verification in JavaScript',
      { '/health': { body: { service: 'core', commit: 'c0ffee', cryptography: 'noble' } } },
      'verifies by "noble" instead of "native": set the compatibility flag webcrypto_modern_algorithms',
    ],
    ['a host that leads to no document', { '/.well-known/svc': { body: {} } }, 'leads to no document'],
    ['a missing header', { '/health': { headers: { 'x-frame-options': '' } } }, 'lacks x-frame-options'],
    [
      'an object that does not answer',
      { '/health/objects': { body: { objects: { A: 'c0ffee', B: null, C: null } } } },
      'B, C did not answer',
    ],
    ['objects that cannot be asked', { '/health/objects': { status: 404 } }, 'answers 404'],
    ['capabilities that fail', { '/api/capabilities': { status: 500 } }, 'answers 500 instead of 200'],
    [
      'an open CORS policy',
      { '/api/capabilities': { headers: { 'access-control-allow-origin': 'https://stranger.invalid' } } },
      'allows https://stranger.invalid',
    ],
    ['a public internal route', { '/api/internal/health': { status: 403 } }, 'answers 403 instead of 404'],
    ['another OpenAPI version', { '/openapi.json': { body: { openapi: '3.0.3' } } }, 'has version 3.0.3'],
  ])('finds %s', async (_, changes, fault) => {
    expect((await faultsOf('core', changes)).map((check) => check.fault)).toEqual([fault])
  })

  it('finds a different build', async () => {
    expect(await faultsOf('core', {}, { sha: 'decaf' })).toEqual([
      { name: 'health', fault: 'is build c0ffee instead of decaf' },
    ])
  })

  it.each([
    ['the commit of the Worker and of its objects', {}, 'build c0ffee in all 2 classes'],
    [
      'objects that still run other code',
      { '/health/objects': { body: { objects: { A: 'c0ffee', B: 'decaf' } } } },
      'B is build decaf; objects follow the Worker within 30 seconds',
    ],
  ])('reports %s', async (_, changes, note) => {
    const { checks } = await smoke('https://core.test', { fetch: serviceOf('core', changes) })
    expect(checks.slice(0, 2)).toEqual([
      { name: 'health', fault: null, note: 'build c0ffee' },
      { name: 'objects', fault: null, note },
    ])
  })

  it('asks for the objects of every service but the documentation', async () => {
    const asking = await Promise.all(
      WORKER_NAMES.map(async (service) => {
        const { checks } = await smoke(`https://${service}.test`, { fetch: serviceOf(service) })
        return checks.some(({ name }) => name === 'objects') ? [service] : []
      }),
    )
    expect(asking.flat()).toEqual(WORKER_NAMES.filter((service) => service !== 'docs'))
  })

  it('reports a service that cannot be reached', async () => {
    const down = (() => Promise.reject(new Error('connection refused'))) as typeof fetch
    const { service, checks } = await smoke('https://core.test', { fetch: down })
    expect({ service, checks }).toEqual({
      service: 'https://core.test',
      checks: [{ name: 'health', fault: 'connection refused' }],
    })
  })
})
