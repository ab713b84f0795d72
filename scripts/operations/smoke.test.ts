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
const HEALTH = { service: 'core', version: '1.5.2', commit: 'c0ffee' }

type Change = Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>

/** A good core, but for what a test changes by path. */
const core = (changes: Change = {}) =>
  (async (input: string | URL, init?: RequestInit) => {
    const path = new URL(input).pathname
    const statuses: Record<string, number> = {
      '/api/chain/head': init?.method === 'OPTIONS' ? 204 : 401,
      '/api/account/heal/': 410,
      '/api/internal/health': 404,
    }
    const good = {
      status: statuses[path] ?? 200,
      body: path === '/openapi.json' ? { openapi: '3.1.0', paths: { '/api/capabilities': {} } } : HEALTH,
      headers: {},
    }
    const { status, body, headers } = { ...good, ...changes[path] }
    return new Response(status === 204 ? null : JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } })
  }) as typeof fetch

const faultsOf = async (changes: Change, sha?: string) => {
  const { checks } = await smoke('https://core.test/', { fetch: core(changes), sha })
  return checks.filter(({ fault }) => fault !== null)
}

describe('smoke', () => {
  it('finds nothing wrong with a good service', async () => {
    expect(await faultsOf({}, 'c0ffee')).toEqual([])
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
    ['a retired route that lives', { '/api/account/heal/': { status: 200 } }, 'answers 200 and not 410'],
    ['a protected route that is open', { '/api/chain/head': { status: 200 } }, 'answers 200 and not 401'],
    ['an internal route in public', { '/api/internal/health': { status: 403 } }, 'answers 403 and not 404'],
    ['another OpenAPI', { '/openapi.json': { body: { openapi: '3.0.3' } } }, 'is of version 3.0.3'],
  ])('finds %s', async (_, changes, fault) => {
    expect((await faultsOf(changes)).map((check) => check.fault)).toEqual([fault])
  })

  it('finds another build', async () => {
    expect(await faultsOf({}, 'decaf')).toEqual([{ name: 'health', fault: 'is build c0ffee and not decaf' }])
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
