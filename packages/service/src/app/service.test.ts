import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { ALLOWED_ORIGIN, Prober } from '../testing/prober.ts'
import { readConfig, serviceConfigSchema } from './config.ts'
import { defineOperation, route } from './operation.ts'
import { TOY_BASE, type Toy, toy, toyRoute, toyRuntime } from './service.fixture.ts'

const proberOf = ({ service, send }: Toy) => new Prober({ service, send, base: TOY_BASE })
const logged = () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  return { lines: () => log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>) }
}

describe('the log line of a request', () => {
  const prober = proberOf(toy([toyRoute('/things/{id}', () => new Response('x'))]))

  it('holds the route template and never the URL', async () => {
    const { lines } = logged()
    const { headers } = await prober.send({ method: 'GET', path: '/things/canary?canary=canary' })
    expect(lines()).toEqual([
      {
        service: 'consent',
        requestId: headers.get('x-request-id'),
        operation: expect.any(String),
        route: '/things/{id}',
        method: 'GET',
        status: 200,
        milliseconds: expect.any(Number),
      },
    ])
  })

  it('is left out for an internal call, unless it fails or takes a second', async () => {
    const { lines } = logged()
    const answers = [new Response('x'), new Response('y', { status: 404 }), new Response('z')]
    const inside = toy([toyRoute('/thing', () => answers.shift() ?? Response.error())], { isInternal: true })
    const ask = () => inside.send(new Request(`${TOY_BASE}/thing`))
    expect((await ask()).status).toBe(200)
    expect(lines()).toEqual([])
    await ask()
    expect(lines()).toMatchObject([{ status: 404 }])
    const times = [0]
    vi.spyOn(Date, 'now').mockImplementation(() => times.shift() ?? 1_000)
    await ask()
    vi.mocked(Date.now).mockRestore()
    expect(lines()).toMatchObject([{ status: 404 }, { status: 200 }])
  })

  it('names the operation that answers, and not another whose template matches', async () => {
    const { lines } = logged()
    const two = proberOf(
      toy([toyRoute('/things/newest', () => new Response('x')), toyRoute('/things/{id}', () => new Response('y'))]),
    )
    await two.send({ method: 'GET', path: '/things/newest' })
    await two.send({ method: 'HEAD', path: '/things/other' })
    expect(lines().map(({ route: template }) => template)).toEqual(['/things/newest', '/things/{id}'])
  })

  it.each([
    ['an unknown path', 'GET', '/canary', {}, { route: 'unmatched', status: 404, reason: 'not_found' }],
    ['a wrong method', 'POST', '/things/canary', {}, { route: 'unmatched', status: 405, reason: 'method_not_allowed' }],
    ['a foreign Origin', 'GET', '/things/canary', { origin: 'https://canary' }, { status: 403, reason: 'origin' }],
  ])('says of %s why it was refused and nothing that it carried', async (_, method, path, headers, expected) => {
    const { lines } = logged()
    await prober.send({ method, path, headers })
    expect(lines()).toEqual([expect.objectContaining(expected)])
    expect(JSON.stringify(lines())).not.toContain('canary')
  })
})

describe('a handler that throws', () => {
  it.each([
    ['an unexpected error', new Error('canary'), 500, 'internal_error', /^Error \| at /],
    [
      'the fault of a dependency',
      new DependencyFault('registry', { cause: new Error('canary') }),
      503,
      'dependency_unavailable',
      /^registry: Error \| at /,
    ],
    ['an expected refusal', new ApiError('forbidden', { reason: 'told' }), 403, 'forbidden', /^told$/],
  ])('%s is answered by name, and its words stay in', async (_, error, status, name, reason) => {
    const { lines } = logged()
    const failing = defineOperation({
      id: 'fail',
      method: 'get',
      path: '/fail',
      summary: 'Fails',
      auth: 'none',
      answer: { status: 200, description: 'Never', schema: z.null() },
      errors: ['forbidden', 'dependency_unavailable'],
    })
    const prober = proberOf(toy([route<unknown>()(failing, () => Promise.reject(error))]))
    const refused = await prober.send({ method: 'GET', path: '/fail' })
    expect(refused).toMatchObject({ status, error: name })
    expect(lines()).toEqual([expect.objectContaining({ status, reason: expect.stringMatching(reason) })])
    expect(JSON.stringify([refused.body, lines()])).not.toContain('canary')
  })
})

describe('a deployment that lacks a variable', () => {
  it('refuses everything, and only the log says which', async () => {
    const { lines } = logged()
    const broken = toy([toyRoute('/x', () => new Response('x'))], {}, () => ({
      ...toyRuntime(),
      config: readConfig(serviceConfigSchema, { ENVIRONMENT: 'canary', PUBLIC_ORIGINS: ['canary'] }),
    }))
    const { status, body } = await proberOf(broken).send({ method: 'GET', path: '/x' })
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toMatch(/PUBLIC|canary/)
    expect(lines()[0]).toMatchObject({
      reason: 'configuration: PUBLIC_ORIGINS.0, ALLOWED_ORIGINS, REALMS, CORE_ORIGIN',
    })
  })
})

describe('headers of an answer', () => {
  it('keep what the handler says that it depends on', async () => {
    const varying = toyRoute(
      '/x',
      () => new Response('x', { headers: { vary: 'Accept', 'content-type': 'text/plain' } }),
    )
    const prober = proberOf(toy([varying]))
    for (const headers of [{}, { origin: ALLOWED_ORIGIN }]) {
      expect((await prober.send({ method: 'GET', path: '/x', headers })).headers.get('vary')).toBe('Accept, Origin')
    }
  })

  it('keep the cache control and the policies of a handler or a service that has its own', async () => {
    const own = { 'cache-control': 'public, max-age=9', 'content-security-policy': "default-src 'self'" }
    const prober = proberOf(
      toy([toyRoute('/x', () => new Response('x', { headers: { ...own, 'content-type': 'text/plain' } }))]),
    )
    const { headers } = await prober.send({ method: 'GET', path: '/x' })
    expect(Object.fromEntries(headers)).toMatchObject(own)
  })

  it('never take a request id from the request', async () => {
    const prober = proberOf(toy([toyRoute('/x', () => new Response('x'))]))
    const headers = { 'x-request-id': '00000000-0000-4000-8000-000000000000' }
    expect((await prober.send({ method: 'GET', path: '/x', headers })).headers.get('x-request-id')).not.toBe(
      headers['x-request-id'],
    )
  })
})

describe('without its limiter', () => {
  it('a service lets ten requests of an address through, whatever they ask for', async () => {
    const prober = proberOf(toy([toyRoute('/x', () => new Response('x'))], {}, () => toyRuntimeWithout()))
    const address = '192.0.2.7'
    for (let i = 0; i < 10; i += 1) {
      expect((await prober.send({ method: 'GET', path: i % 2 ? '/x' : '/nothing', address })).status).not.toBe(429)
    }
    const refused = await prober.send({ method: 'GET', path: '/x', address })
    expect(refused).toMatchObject({ status: 429, body: { success: false, tier: 'emergency' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await prober.send({ method: 'GET', path: '/x', address: '192.0.2.8' })).status).toBe(200)
  })
})

function toyRuntimeWithout() {
  return toyRuntime({ limit: () => Promise.reject(new Error('degraded')) })
}
