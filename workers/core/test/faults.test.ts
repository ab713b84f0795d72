import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PAYLOADS } from '../src/chain/store.ts'
import { CORE, call, freshCaller, send, sendWith } from './harness.ts'

const LARGE = new Uint8Array(70_000).fill(9)

/** A bucket that runs a hook before each call of the real one. */
function bucket(before: { put?: () => void; get?: () => void }): R2Bucket {
  return {
    put: async (...operands: Parameters<R2Bucket['put']>) => {
      before.put?.()
      return env.BLOBS.put(...operands)
    },
    get: async (key: string) => {
      before.get?.()
      return env.BLOBS.get(key)
    },
  } as unknown as R2Bucket
}

const broken = () => {
  throw new Error('R2 is down')
}

const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })

afterEach(() => {
  vi.useRealTimers()
})

describe('when R2 fails', () => {
  it('appends nothing, and the same append succeeds later', async () => {
    const caller = await freshCaller({ fetch: sendWith({ BLOBS: bucket({ put: broken }) }) })
    await expect(caller.client.chain.append({ payload: LARGE })).rejects.toMatchObject({
      status: 503,
      error: 'dependency_unavailable',
    })
    expect(await call(caller, 'GET', '/api/chain/head')).toMatchObject({ body: { data: { index: '0' } } })
    const { client } = caller
    const block = await client.chain.makeBlock(await client.chain.head(), { payload: LARGE })
    const body = { ...block, payloadB64u: encodeBase64url(LARGE) }
    expect((await call(caller, 'POST', '/api/chain/append', body)).status).toBe(201)
  })

  it('fails to read a large payload rather than returning an empty one', async () => {
    const caller = await freshCaller()
    await caller.client.chain.append({ payload: LARGE })
    const down = sendWith({ BLOBS: bucket({ get: broken }) })
    expect((await call(caller, 'GET', '/api/chain/payload/1', undefined, down)).status).toBe(503)
    await env.BLOBS.delete((await env.BLOBS.list()).objects.map(({ key }) => key))
    expect((await call(caller, 'GET', '/api/chain/payload/1')).status).toBe(503)
  })

  it('leaves no pointer if it stops between object and pointer', async () => {
    const caller = await freshCaller()
    const head = await caller.client.chain.head()
    const stop = sendWith({
      BLOBS: bucket({
        put: () => {
          throw new Error('the Worker dies here, with the object perhaps written')
        },
      }),
    })
    const body = { ...(await caller.client.chain.makeBlock(head, {})), payloadB64u: '' }
    expect((await call(caller, 'POST', '/api/chain/append', body, stop)).status).toBe(201) // no large payload: no R2
    const rows = await runInDurableObject(env.IDENTITIES.getByName(caller.identity.did), ({ stored }) =>
      stored.tables(PAYLOADS).exec('SELECT idx FROM payloads WHERE r2_key IS NOT NULL').toArray(),
    )
    expect(rows).toEqual([])
  })
})

describe('when the object restarts', () => {
  it('still has every block and every spent nonce', async () => {
    const { client, identity, address } = await freshCaller()
    const { hash } = await client.chain.append({})
    const url = `${CORE}/api/chain/head`
    const authorization = await identity.assertion({ audience: 'chain', method: 'GET', url, now: Date.now() })
    const once = () => send(new Request(url, { headers: { authorization, 'cf-connecting-ip': address } }))
    expect((await once()).status).toBe(200)
    await evictDurableObject(env.IDENTITIES.getByName(identity.did))
    expect((await once()).status).toBe(401)
    expect(await client.chain.head()).toMatchObject({ index: '1', hash })
  })

  it('forgets nonces only once they can no longer be used, with the next assertion or alarm', async () => {
    const { identity, client } = await freshCaller()
    const object = env.IDENTITIES.getByName(identity.did)
    const hours = () =>
      runInDurableObject(object, ({ stored }) => stored.tableNames('nonces_*').map((name) => Number(name.slice(7))))
    // One minute of validity and two minutes of skew, early in an hour that begins a day later.
    const [hour, minute] = [3_600_000, 60_000]
    const begin = Math.ceil(Date.now() / hour) * hour + 24 * hour
    at(begin)
    await client.chain.head()
    expect(await hours()).toEqual([begin / hour])
    for (const wake of [() => client.chain.head(), () => runInDurableObject(object, (instance) => instance.alarm())]) {
      at(begin + 59 * minute)
      await wake()
      expect(await hours()).toContain(begin / hour)
    }
    at(begin + hour)
    await runInDurableObject(object, (instance) => instance.alarm())
    expect(await hours()).toEqual([begin / hour + 1])
    at(begin + 2 * hour)
    await client.chain.head()
    expect(await hours()).toEqual([begin / hour + 2])
  })
})

describe('when the configuration is invalid', () => {
  it('answers 500 in the shape of each route and reveals nothing', async () => {
    const misconfigured = sendWith({ DOCS_URL: 'not a URL, but a secret' })
    const health = await misconfigured(new Request(`${CORE}/health`))
    expect(health.status).toBe(500)
    expect(await health.json()).toMatchObject({ success: false, error: 'internal_error', message: 'Internal error' })
    const version = await misconfigured(new Request(`${CORE}/api/version`))
    expect(version.status).toBe(500)
    expect(await version.json()).toMatchObject({ code: 'internal_error', message: 'Internal error' })
  })

  it('rejects appends of profile 4 while its gate is off', async () => {
    const caller = await freshCaller()
    const closed = sendWith({ CHAIN_V4: 'off' })
    const block = await caller.client.chain.makeBlock(await caller.client.chain.head(), {})
    expect(await call(caller, 'POST', '/api/chain/append', block, closed)).toMatchObject({
      status: 403,
      body: { error: 'profile_not_accepted' },
    })
  })
})

describe('when an identity cannot be reached', () => {
  it('fails and never lets the request through', async () => {
    const caller = await freshCaller()
    const unreachable = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) }) }
    const down = sendWith({ IDENTITIES: unreachable })
    for (const path of ['/api/chain/head', '/api/chain/blocks', '/api/sync/status']) {
      expect(await call(caller, 'GET', path, undefined, down)).toMatchObject({
        status: 503,
        body: { success: false, error: 'dependency_unavailable' },
      })
    }
  })
})
