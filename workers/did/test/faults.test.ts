import { env } from 'cloudflare:workers'
import { ALLOWED_ORIGIN, coreAnswering, expectRefusal, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALM } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, caller, send, untilAborted } from './harness.ts'

const whole = new Prober({ service, send, base: BASE })
const without = (replaced: { CORE?: Fetcher }) =>
  new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, { ...env, ...replaced }) })
const resolve = (prober: Prober, did: string) => prober.send({ method: 'GET', path: `/1.0/identifiers/${did}` })

async function register(prober: Prober, by: TestCaller, body: object, authorization?: string) {
  const headers = { origin: ALLOWED_ORIGIN, authorization: authorization ?? (await by.assertion('identity')) }
  return prober.send({ method: 'POST', path: '/1.0/register', headers, body: JSON.stringify(body) })
}

/** Core's internal side, but for the paths that are cut off. */
const coreWithout = (cut: RegExp, answer: () => Promise<Response>) =>
  coreAnswering(async (request) => (cut.test(request.url) ? answer() : env.CORE.fetch(request)))

const NO_ANSWERS: [string, () => Promise<Response>][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', async () => Response.json({ error: 'internal_error' }, { status: 500 })],
  ['answers nonsense', async () => Response.json({ scope: 'x' })],
  ['answers what is not JSON', async () => new Response('<html>')],
  ['answers an unnamed 404', async () => new Response('', { status: 404 })],
  ['does not know the caller', async () => Response.json({ error: 'forbidden' }, { status: 403 })],
]

describe('resolution without its authority', () => {
  it.each(NO_ANSWERS)('is an internal error when core %s, however often it was resolved before', async (_, answer) => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    expect((await resolve(whole, did)).status).toBe(200)
    const cut = without({ CORE: coreAnswering(answer) })
    expectUnavailable(await resolve(cut, did))
    expectUnavailable(await resolve(cut, `did:svc:${'A'.repeat(32)}`))
    expect((await resolve(whole, did)).status).toBe(200)
  })

  it('is an internal error when core answers for another DID', async () => {
    const [by, other] = [await caller(), await caller()]
    await by.client.did.register()
    await other.client.did.register()
    const swapped = coreAnswering((request) =>
      env.CORE.fetch(request.url.replace(by.identity.did, other.identity.did), request),
    )
    expectUnavailable(await resolve(without({ CORE: swapped }), by.identity.did))
  })

  it('is not found when core no longer has the identity', async () => {
    const by = await caller()
    await by.client.did.register()
    const gone = coreAnswering(async () => Response.json({ error: 'not_found' }, { status: 404 }))
    expect((await resolve(without({ CORE: gone }), by.identity.did)).status).toBe(404)
  })
})

describe('registration without what it depends on', () => {
  it.each(NO_ANSWERS)(
    'refuses, and says nothing of why, when core %s to it; it can be made again',
    async (_, answer) => {
      const by = await caller()
      const { did } = by.identity
      const body = { did, keyAgreement: await by.identity.keyAgreement({ realm: REALM, now: Date.now() }) }
      const cut = without({ CORE: coreWithout(/\/registration\//, answer) })
      const refused = await register(cut, by, body)
      expectRefusal(refused, 'dependency_unavailable')
      expect(JSON.stringify(refused.body)).not.toMatch(/gone|html|forbidden/)
      expect((await resolve(whole, did)).status).toBe(404)
      expect((await register(whole, by, body)).status).toBe(200)
      expect((await resolve(whole, did)).status).toBe(200)
    },
  )

  it('refuses when core answers for another DID', async () => {
    const [by, other] = [await caller(), await caller()]
    const swapped = coreAnswering(async (request) => {
      if (!request.url.includes('/registration/')) return env.CORE.fetch(request)
      return Response.json({ did: other.identity.did, registeredAt: 1, updatedAt: 1 })
    })
    expectRefusal(await register(without({ CORE: swapped }), by, { did: by.identity.did }), 'dependency_unavailable')
  })

  it('is taken when only its answer was lost, and can be made again', async () => {
    const by = await caller()
    const { did } = by.identity
    const body = { did, keyAgreement: await by.identity.keyAgreement({ realm: REALM, now: Date.now() }) }
    const lost = coreAnswering(async (request) => {
      const answer = await env.CORE.fetch(request)
      return request.url.includes('/registration/') ? new Response('', { status: 502 }) : answer
    })
    expectRefusal(await register(without({ CORE: lost }), by, body), 'dependency_unavailable')
    expect((await resolve(whole, did)).status).toBe(200)
    expect((await register(whole, by, body)).status).toBe(200)
  })

  it('refuses without the internal secret', async () => {
    const by = await caller()
    const bare = new Prober({
      service,
      base: BASE,
      send: async (request) => service.app.fetch(request, { ...env, SVC_INTERNAL_SECRET: undefined }),
    })
    expectRefusal(await register(bare, by, { did: by.identity.did }), 'dependency_unavailable')
    expectUnavailable(await resolve(bare, by.identity.did))
  })
})

it('a core that is too slow is one that does not answer', async () => {
  const by = await caller()
  const { did } = by.identity
  const body = { did, keyAgreement: await by.identity.keyAgreement({ realm: REALM, now: Date.now() }) }
  const silent = coreAnswering((request) =>
    /\/(?:authority|registration)\//.test(request.url) ? untilAborted(request) : env.CORE.fetch(request),
  )
  const limits: number[] = []
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    limits.push(milliseconds)
    return timeout(Math.min(milliseconds, 300))
  })
  expectRefusal(await register(without({ CORE: silent }), by, body), 'dependency_unavailable')
  expectUnavailable(await resolve(without({ CORE: silent }), did))
  expect(new Set(limits)).toEqual(new Set([5000]))
  vi.restoreAllMocks()
  expect((await resolve(whole, did)).status).toBe(404)
})

function expectUnavailable({ status, headers, body }: Awaited<ReturnType<typeof resolve>>): void {
  expect(status).toBe(500)
  expect(headers.get('content-type')).toBe('application/did-resolution')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    didDocument: null,
    didResolutionMetadata: { error: { type: 'https://www.w3.org/ns/did#INTERNAL_ERROR' } },
  })
}
