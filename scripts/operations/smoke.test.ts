import { describe, expect, it } from 'vitest'
import { isProtected, readApi } from '../fuzzing/operations.ts'
import { WORKER_NAMES, type WorkerName } from '../lib/workspace.ts'
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

/** By `METHOD /path`, or by path for every method. */
type Change = Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>

/** As `{x}` is asked for. */
const filled = (template: string) => template.replaceAll(/\{\w+\}/g, 'x')
const lockedOf = (service: WorkerName) =>
  api.operations
    .filter((operation) => operation.service === service && isProtected(operation))
    .map(({ method, template }) => `${method} ${filled(template)}`)

interface Asked {
  readonly route: string
  readonly origin: string | null
}

/** A good service, but for what a test changes. It keeps what it was asked. */
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
    if (path === '/openapi.json') good = { status: 200, body: { openapi: '3.1.0', paths: { '/api/capabilities': {} } } }
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

  it('finds nothing wrong with a good service', async () => {
    expect(await faultsOf(service, {}, { sha: 'c0ffee' })).toEqual([])
  })

  it('asks each protected and each retired route once, with the Origin that it was given', async () => {
    const asked: Asked[] = []
    await smoke(`https://${service}.test`, { fetch: serviceOf(service, {}, asked), origin: ORIGIN })
    for (const route of [...locked, ...retired.map(({ path }) => `GET ${filled(path)}`)])
      expect(asked.filter((one) => one.route === route).length, route).toBe(1)
    expect(asked.filter(({ origin }) => origin === ORIGIN).map(({ route }) => route)).toEqual(locked)
  })

  it('finds each protected route that is open, gone or failing', async () => {
    for (const status of [200, 400, 403, 404, 500]) {
      for (const route of locked) {
        const [found] = await faultsOf(service, { [route]: { status } })
        expect(found?.name, route).toContain('protected routes without a credential')
        expect(found?.fault).toContain(`answers ${status} unauthorized and not 401`)
      }
    }
  })

  it('finds each retired route that lives, or that says something else', async () => {
    for (const { path, error } of retired) {
      const alive = await faultsOf(service, { [filled(path)]: { status: 200, body: {} } })
      expect(alive.map(({ fault }) => fault)).toEqual([`${path} answers 200 without a name and not ${error}`])
      const other = await faultsOf(service, { [filled(path)]: { status: 410, body: { error: 'gone' } } })
      expect(other.map(({ fault }) => fault)).toEqual([`${path} answers 410 gone and not ${error}`])
    }
  })
})

describe('smoke', () => {
  it('looks for protected routes wherever there are any, and for retired ones where there are any', () => {
    expect(WORKER_NAMES.filter((service) => lockedOf(service).length === 0)).toEqual(['docs'])
    expect(WORKER_NAMES.filter((service) => api.retiredOf(service).length > 0)).toEqual(['core', 'keys', 'pay'])
  })

  it('takes for protected what nobody passes without a credential, and not what one only lifts into another tier', () => {
    expect(lockedOf('consent')).toEqual(['PUT /api/v1/consent/x', 'DELETE /api/v1/consent/x', 'POST /api/v1/consent'])
    expect(lockedOf('provenance')).toContain('POST /api/register/text')
    expect(lockedOf('provenance')).not.toContain('POST /api/query/text')
    expect(lockedOf('core')).toContain('GET /api/chain/head')
    expect(lockedOf('core')).not.toContain('POST /api/genesis/init')
  })

  it('takes the refusal of a missing Origin for a write, and where it sent one for nothing', async () => {
    const write = 'POST /1.0/register'
    const refused = { [write]: { status: 403, body: { error: 'cors_denied', status: 403 } } }
    expect(await faultsOf('did', refused)).toEqual([])
    const fault = 'POST /1.0/register answers 403 cors_denied and not 401'
    expect((await faultsOf('did', refused, { origin: ORIGIN })).map((check) => check.fault)).toEqual([fault])
    const read = { 'GET /api/rotation/request': { status: 403, body: { error: 'cors_denied' } } }
    expect(await faultsOf('did', read)).toHaveLength(1)
  })

  it.each<[string, Change, string]>([
    ['a service that is down', { '/health': { status: 503 } }, 'answers 503'],
    ['a service that does not name itself', { '/health': { body: {} } }, 'does not say which service it is'],
    ['a missing header', { '/health': { headers: { 'x-frame-options': '' } } }, 'lacks x-frame-options'],
    ['capabilities that fail', { '/api/capabilities': { status: 500 } }, 'answers 500 and not 200'],
    [
      'permission for a stranger',
      { '/api/capabilities': { headers: { 'access-control-allow-origin': 'https://stranger.invalid' } } },
      'allows https://stranger.invalid',
    ],
    ['an internal route in public', { '/api/internal/health': { status: 403 } }, 'answers 403 and not 404'],
    ['another OpenAPI', { '/openapi.json': { body: { openapi: '3.0.3' } } }, 'is of version 3.0.3'],
  ])('finds %s', async (_, changes, fault) => {
    expect((await faultsOf('core', changes)).map((check) => check.fault)).toEqual([fault])
  })

  it('finds another build', async () => {
    expect(await faultsOf('core', {}, { sha: 'decaf' })).toEqual([
      { name: 'health', fault: 'is build c0ffee and not decaf' },
    ])
  })

  it('finds that nobody answers', async () => {
    const down = (() => Promise.reject(new Error('connection refused'))) as typeof fetch
    const { service, checks } = await smoke('https://core.test', { fetch: down })
    expect({ service, checks }).toEqual({
      service: 'https://core.test',
      checks: [{ name: 'health', fault: 'connection refused' }],
    })
  })
})
