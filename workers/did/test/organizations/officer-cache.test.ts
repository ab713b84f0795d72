import { env } from 'cloudflare:workers'
import { type Exchange, expectRefusal, Prober } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE } from '../harness.ts'
import { callers, coreWithout, get, incepted, licensed, NO_ANSWERS, officersBecome } from './organization.fixture.ts'

// Every identity is made, and every event signed, on a machine that does other things, too.

afterEach(() => {
  vi.useRealTimers()
})

/** Reads at an edge whose background work can be waited for; `core` answers when it is given. */
function edge(core?: Fetcher) {
  const working: Promise<unknown>[] = []
  const context = { waitUntil: (work: Promise<unknown>) => working.push(work), passThroughOnException: () => {} }
  const bindings = core ? { ...env, CORE: core } : env
  const send = async (request: Request) => service.app.fetch(request, bindings, context as unknown as ExecutionContext)
  const prober = new Prober({ service, send, base: BASE })
  return {
    read: (orgDid: string, query = '', headers: Record<string, string> = {}): Promise<Exchange> =>
      prober.send({ method: 'GET', path: `/1.0/org/${orgDid}/officers${query}`, headers }),
    settled: async () => {
      const asked = working.splice(0)
      await Promise.all(asked)
      return asked.length
    },
  }
}

/** Core’s internal side, counting what it is asked of officers. */
function counting() {
  let asked = 0
  const core = coreWithout(/\/officers\//, async (request) => {
    asked += 1
    return env.CORE.fetch(request)
  })
  return { core, asked: () => asked }
}

async function kept() {
  const [org, ann, ben] = await callers(3)
  await incepted(org!, [ann!])
  const { did } = org!.identity
  const start = Date.now()
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
  const first = await edge().read(did)
  expect(first.body).toMatchObject({ version: 1, officers: [ann!.identity.did] })
  return { did, org: org!, ann: ann!, ben: ben!, start, first }
}
const at = (time: number) => vi.setSystemTime(time)
const versionOf = ({ body }: Exchange) => (body as { version?: number }).version
const ageOf = ({ headers }: Exchange) => headers.get('age')

describe('what the edge keeps of officers', () => {
  it('is given for 45 seconds without asking core, with its age', async () => {
    const { did, start, first } = await kept()
    const { core, asked } = counting()
    const { read, settled } = edge(core)
    for (const [milliseconds, age] of [
      [0, '0'],
      [1_999, '1'],
      [44_999, '44'],
    ] as const) {
      at(start + milliseconds)
      const again = await read(did)
      expect([again.status, again.body, ageOf(again)]).toEqual([200, first.body, age])
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    }
    expect([asked(), await settled()]).toEqual([0, 0])
  })

  it('is given once more when it is stale, while core is asked anew', async () => {
    const { did, org, ann, ben, start, first } = await kept()
    await officersBecome(org, [ann], [ben])
    const { core, asked } = counting()
    const { read, settled } = edge(core)
    at(start + 45_000)
    const stale = await read(did)
    expect([versionOf(stale), ageOf(stale)]).toEqual([1, '45'])
    expect([await settled(), asked()]).toEqual([1, 1])
    const etag = first.headers.get('etag') ?? ''
    const fresh = await read(did, '', { 'if-none-match': etag })
    expect([fresh.status, versionOf(fresh), ageOf(fresh)]).toEqual([200, 2, '0'])
    expect(asked()).toBe(1)
  })

  it('is asked for anew once at a time', async () => {
    const { did, start } = await kept()
    const { core, asked } = counting()
    const { read, settled } = edge(core)
    at(start + 46_000)
    await Promise.all(Array.from({ length: 20 }, () => read(did)))
    expect(asked()).toBeLessThanOrEqual(1)
    await settled()
    expect(asked()).toBe(1)
  })

  it.each(NO_ANSWERS)('is never older than 645 seconds, though core %s', async (_, answer) => {
    const { did, start } = await kept()
    const { read, settled } = edge(coreWithout(/\/officers\//, answer))
    for (const milliseconds of [45_000, 644_999]) {
      at(start + milliseconds)
      expect((await read(did)).status).toBe(200)
      await settled()
    }
    at(start + 645_000)
    const refused = await read(did)
    expectRefusal(refused, 'dependency_unavailable')
    expect(refused.headers.get('cache-control')).toBe('no-store')
  })

  it('decides nothing: a removed officer loses access to members at once, and a new one gains it', async () => {
    const { did, org, ann, ben } = await kept()
    await licensed(did)
    await officersBecome(org, [ann], [ben])
    expect(versionOf(await edge().read(did))).toBe(1)
    expectRefusal(await get(ann, `/1.0/org/${did}/members`), 'forbidden')
    expect((await get(ben, `/1.0/org/${did}/members`)).status).toBe(200)
  })

  it('is forgotten as soon as core has said that the organization has ended', async () => {
    const { did, org, start } = await kept()
    await org.client.security.deactivate()
    const { read, settled } = edge()
    at(start + 45_000)
    expect((await read(did)).status).toBe(200)
    await settled()
    expectRefusal(await read(did), 'not_found')
  })

  it('is of one organization and of one version, and of no time', async () => {
    const { did, org, ann, ben, first } = await kept()
    const other = await kept()
    expect((await edge().read(other.did)).body).toEqual(other.first.body)
    await officersBecome(org, [ann], [ben])
    const { read } = edge()
    expect(versionOf(await read(did, '?version=2'))).toBe(2)
    // Core, which says when a roster came, has a clock of its own.
    vi.useRealTimers()
    const now = await read(did, `?at=${Date.now()}`)
    expect([versionOf(now), now.headers.get('cache-control'), ageOf(now)]).toEqual([2, 'no-store', null])
    expect((await read(did)).body).toEqual(first.body)
  })

  it('is nothing from a clock that is ahead of this one', async () => {
    const { did, org, ann, ben, start } = await kept()
    await officersBecome(org, [ann], [ben])
    at(start - 1)
    expect(versionOf(await edge().read(did))).toBe(2)
  })

  it('holds no refusal: an organization that comes is there at once', async () => {
    const [org, ann] = await callers(2)
    const { did } = org!.identity
    expectRefusal(await edge().read(did), 'not_found')
    await incepted(org!, [ann!])
    expect(versionOf(await edge().read(did))).toBe(1)
  })
})

it('an edge without a cache asks core each time', async () => {
  const open = vi.spyOn(caches, 'open').mockRejectedValue(new Error('no cache here'))
  try {
    const [org, ann, ben] = await callers(3)
    await incepted(org!, [ann!])
    const { did } = org!.identity
    expect(versionOf(await edge().read(did))).toBe(1)
    await officersBecome(org!, [ann!], [ben!])
    expect(versionOf(await edge().read(did))).toBe(2)
  } finally {
    open.mockRestore()
  }
})
