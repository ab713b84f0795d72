import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localRateLimits, requireOwnNamespaces } from './rate-limits.ts'

const simple = { limit: 3, period: 60 } as const
const LIMITS = {
  THREE: { namespace_id: '1', simple },
  ALSO_THREE: { namespace_id: '1', simple },
  FIVE: { namespace_id: '1', simple: { ...simple, limit: 5 } },
  APART: { namespace_id: '2', simple },
  SHORT: { namespace_id: '3', simple: { limit: 3, period: 10 } },
} as const
type Name = keyof typeof LIMITS

/** Calls the binding several times with one key, and returns the outcome of each call. */
const SCRIPT = `export default {
  async fetch(request, env) {
    const { name, key, times } = await request.json()
    const outcomes = []
    try {
      for (let i = 0; i < times; i++) outcomes.push(await env[name].limit({ key }))
    } catch (error) {
      return Response.json({ error: error.message })
    }
    return Response.json(outcomes)
  },
}`

const worker = { name: 'asking', modules: true, script: SCRIPT, compatibilityDate: '2026-10-23' }

/** Runs the documented semantics against the runtime's own simulation too, so that the two cannot drift apart. */
describe.concurrent.each([
  ['the runtime’s own simulation', { ratelimits: LIMITS }],
  ['the binding in memory', { unsafeBindings: localRateLimits(LIMITS) }],
])('%s', (_, bindings) => {
  let miniflare: Miniflare
  beforeAll(() => {
    miniflare = new Miniflare(convertV4MiniflareOptions({ cf: false, workers: [{ ...worker, ...bindings }] }))
  })
  afterAll(() => miniflare.dispose())

  async function ask(name: Name, key: unknown, times = 1): Promise<unknown> {
    const init = { method: 'POST', body: JSON.stringify({ name, key, times }) }
    const response = await miniflare.dispatchFetch('http://asking', init)
    return response.json()
  }

  /** How many calls were allowed, all in one window. */
  async function allowed(name: Name, key: string, times: number): Promise<number> {
    await roomInWindow(LIMITS[name].simple.period)
    return allowedNow(name, key, times)
  }

  /** The same without waiting, for a test that has. The allowed calls must come first. */
  async function allowedNow(name: Name, key: string, times: number): Promise<number> {
    const outcomes = (await ask(name, key, times)) as { success: boolean }[]
    const count = outcomes.filter(({ success }) => success).length
    expect(outcomes).toEqual(outcomes.map((_outcome, i) => ({ success: i < count })))
    return count
  }

  it('allows calls up to the limit and refuses the rest', async () => {
    expect(await allowed('THREE', 'a', 7)).toBe(3)
    expect(await allowed('FIVE', 'b', 7)).toBe(5)
  })

  it('counts each key separately, the empty key included', async () => {
    for (const key of ['c', 'C', 'c ', '']) expect(await allowed('THREE', key, 4)).toBe(3)
  })

  it('shares the count between bindings of a namespace, each with its own limit', async () => {
    await roomInWindow(60)
    expect(await allowedNow('THREE', 'd', 4)).toBe(3)
    expect(await allowedNow('ALSO_THREE', 'd', 1)).toBe(0)
    expect(await allowedNow('FIVE', 'd', 4)).toBe(2)
  })

  it('counts namespaces separately', async () => {
    expect(await allowed('THREE', 'e', 4)).toBe(3)
    expect(await allowed('APART', 'e', 4)).toBe(3)
  })

  it('starts again with each window', async () => {
    expect(await allowed('SHORT', 'f', 4)).toBe(3)
    await nextWindow(10)
    expect(await allowed('SHORT', 'f', 4)).toBe(3)
  })

  it('accepts only a string as key', async () => {
    for (const key of [1, null, { a: 1 }]) expect(await ask('THREE', key)).toHaveProperty('error')
  })
})

describe('requireOwnNamespaces', () => {
  const at = (name: string, namespace_id: string) => ({
    name,
    options: { unsafeBindings: localRateLimits({ LIMIT: { namespace_id, simple } }) },
  })

  it('refuses a namespace that two Workers share', () => {
    expect(() => requireOwnNamespaces([at('core', '1'), at('did', '2'), at('pay', '1')])).toThrow(
      'core and pay share the rate-limit namespace "1"',
    )
    expect(() => requireOwnNamespaces([at('core', '1'), at('did', '2'), { name: 'pay', options: {} }])).not.toThrow()
  })
})

/** The share of a window that a test may take on a busy machine. */
const ROOM = 0.2
const elapsedIn = (period: number) => Date.now() % (period * 1000)
const nextWindow = (period: number) =>
  new Promise((resolve) => setTimeout(resolve, period * 1000 - elapsedIn(period) + 50))

/** Waits for the next window if this one is about to end. */
async function roomInWindow(period: number): Promise<void> {
  if (elapsedIn(period) > period * 1000 * (1 - ROOM)) await nextWindow(period)
}
