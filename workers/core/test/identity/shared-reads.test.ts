import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { CORE, freshAddress, freshCaller, send } from '../harness.ts'

const READERS = 200

type Identities = Env['IDENTITIES']

/** One isolate whose calls of `root` are counted, and end only once they may. */
function isolate() {
  const state = { calls: 0, gate: Promise.resolve() }
  const held = (stub: ReturnType<Identities['getByName']>) =>
    new Proxy(stub, {
      get(target, name) {
        if (name !== 'root') return Reflect.get(target, name) as unknown
        return async () => {
          state.calls += 1
          const { gate } = state
          const root = await target.root()
          await gate
          return root
        }
      },
    })
  const IDENTITIES = { getByName: (name: string) => held(env.IDENTITIES.getByName(name)) }
  const bindings = { ...env, IDENTITIES }
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} } as unknown as ExecutionContext
  const read = async (did: string) => {
    const headers = { 'cf-connecting-ip': freshAddress() }
    const request = new Request(`${CORE}/api/chain/root/${did}`, { headers })
    const { status } = await app.fetch(request, bindings, context)
    return status
  }
  return { state, read }
}

describe('public reads of one identity', () => {
  it('are a few calls of its object, however many ask at the same moment', async () => {
    const { identity } = await freshCaller()
    const { state, read } = isolate()
    const statuses = await Promise.all(Array.from({ length: READERS }, () => read(identity.did)))
    expect(statuses).toEqual(Array(READERS).fill(200))
    expect(state.calls).toBeLessThanOrEqual(READERS / 10)
  })

  it('are never older than their question: an acknowledged write is read', async () => {
    const stranger = await freshCaller({ genesis: false })
    const { did } = stranger.identity
    const { state, read } = isolate()
    const { promise, resolve } = Promise.withResolvers<void>()
    state.gate = promise
    const before = read(did)
    await vi.waitUntil(() => state.calls > 0)
    // The read above has its answer and is still under way.
    await stranger.client.chain.genesis()
    const after = read(did)
    resolve()
    expect(await before).toBe(404)
    expect(await after).toBe(200)
  })

  it('are answered to requests of their own through the Worker', async () => {
    const { identity } = await freshCaller()
    const ask = async (path: string) => {
      const headers = { 'cf-connecting-ip': freshAddress() }
      const answer = await send(new Request(`${CORE}${path}${identity.did}`, { headers }))
      return [answer.status, (await answer.json<{ data: { did: string } }>()).data.did]
    }
    const paths = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? '/api/chain/root/' : '/api/genesis/'))
    expect(await Promise.all(paths.map(ask))).toEqual(paths.map(() => [200, identity.did]))
  })
})
