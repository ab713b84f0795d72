import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceKeyDid } from '@svc/protocol/base/device'
import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IdentityChainStore } from '../../src/chain/store.ts'
import { anonymous, call, freshAddress, freshCaller, send } from '../harness.ts'

/** Of SQLite, and therefore of each table and each index. */
const PAGE = 4_096
const HOUR = 3_600_000
const READS = 200

const objectOf = ({ identity }: TestCaller) => env.IDENTITIES.getByName(identity.did)
const stateOf = (object: ReturnType<typeof objectOf>) =>
  runInDurableObject(object, async ({ stored }, { storage }) => ({
    bytes: storage.sql.databaseSize,
    tables: stored.tableNames('*'),
    alarm: await storage.getAlarm(),
  }))
/** Each from another address, which has limits of its own. */
const headOf = ({ identity }: TestCaller) => call({ identity, address: freshAddress() }, 'GET', '/api/chain/head')

/** Rows that an object has written since. */
async function counting(object: ReturnType<typeof objectOf>) {
  const written = { rows: 0 }
  await runInDurableObject(object, ({ stored: { sql } }) => {
    const exec = sql.exec.bind(sql)
    vi.spyOn(sql, 'exec').mockImplementation(((...query: Parameters<typeof exec>) => {
      const cursor = exec(...query)
      written.rows += cursor.rowsWritten
      return cursor
    }) as typeof exec)
  })
  return written
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('an identity that is new', () => {
  it('takes four pages: two tables, its facts, and the names of these', async () => {
    const { bytes, tables, alarm } = await stateOf(objectOf(await freshCaller()))
    expect(tables).toEqual(['blocks', 'facts', 'keys'])
    expect(bytes).toBeLessThanOrEqual(4 * PAGE)
    expect(alarm).toBeNull()
  })

  it('takes one more with the nonces of its first hour, and no alarm', async () => {
    const caller = await freshCaller()
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR })
    for (let n = 0; n < 3; n++) expect((await headOf(caller)).status).toBe(200)
    const { bytes, tables, alarm } = await stateOf(objectOf(caller))
    expect(tables).toEqual(['blocks', 'facts', 'keys', expect.stringMatching(/^nonces_\d+$/)])
    expect(bytes).toBeLessThanOrEqual(5 * PAGE)
    expect(alarm).toBeNull()
  })

  it('finds nothing in what it has not made, and makes nothing by looking', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    for (const path of [
      '/api/chain/head',
      '/api/chain/blocks',
      '/api/sync/status',
      '/api/security/hold',
      '/api/events',
    ]) {
      expect((await call(caller, 'GET', path)).status).toBe(200)
    }
    expect((await anonymous('GET', `/api/chain/root/${did}`)).status).toBe(200)
    const object = objectOf(caller)
    await runInDurableObject(object, (instance) => instance.alarm())
    expect(await object.kept()).toMatchObject({ tier: 'notes', byKind: { pins: { bytes: 0, rows: 0 } } })
    expect(await object.roster({ version: null, at: null }, true)).toBeNull()
    expect(await object.payloadsAmong(['chain/x'])).toEqual([])
    expect(await object.hooks()).toEqual([])
    expect(await object.deviceIds()).toEqual([])
    const { tables } = await stateOf(object)
    expect(tables.filter((name) => !name.startsWith('nonces_'))).toEqual(['blocks', 'facts', 'keys'])
  })

  it('makes what an act needs, and keeps it over a restart', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller)
    const { hash } = await caller.client.chain.append({ contentType: 'a/a' })
    await caller.client.security.placeHold()
    await evictDurableObject(object)
    const { tables } = await stateOf(object)
    expect(tables.filter((name) => !name.startsWith('nonces_'))).toEqual([
      'block_index',
      'blocks',
      'events',
      'facts',
      'keys',
    ])
    // The index has the block before it, too.
    const indexOf = (of: string) =>
      runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).find(of)?.index)
    expect(await indexOf(hash)).toBe(1)
    expect(await object.isHeld()).toBe(true)
    const genesis = (await object.genesis())?.genesis.hash ?? ''
    expect(await indexOf(genesis)).toBe(0)
  })
})

it('the name of a device’s key takes two pages', async () => {
  const { device } = await deviceOf(await freshCaller(), { fetch: send, capabilities: [] })
  const { bytes, tables } = await stateOf(env.IDENTITIES.getByName(deviceKeyDid(device.deviceId)))
  expect(tables).toEqual(['facts'])
  expect(bytes).toBeLessThanOrEqual(2 * PAGE)
})

describe('a read with an assertion', () => {
  it(`writes at most 1.1 rows, over ${READS} of them in an hour`, async () => {
    const caller = await freshCaller()
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR })
    const written = await counting(objectOf(caller))
    for (let n = 0; n < READS; n++) expect((await headOf(caller)).status).toBe(200)
    expect(written.rows).toBeGreaterThanOrEqual(READS)
    expect(written.rows / READS).toBeLessThanOrEqual(1.1)
  })

  it('of an identity that has done much writes no more', async () => {
    const caller = await freshCaller()
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR })
    await deviceOf(caller, { fetch: send, capabilities: [] })
    await caller.client.chain.append({ payload: new Uint8Array(3) })
    await caller.client.security.placeHold()
    await headOf(caller)
    const written = await counting(objectOf(caller))
    for (let n = 0; n < 10; n++) expect((await headOf(caller)).status).toBe(200)
    expect(written.rows).toBe(10)
  })

  it('costs one row of the five of an append, of a chain that has its index', async () => {
    const caller = await freshCaller()
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR })
    await caller.client.chain.append({})
    const body = await caller.client.chain.makeBlock(await caller.client.chain.head(), {})
    const written = await counting(objectOf(caller))
    expect((await call(caller, 'POST', '/api/chain/append', body)).status).toBe(201)
    expect(written.rows).toBe(5)
  })

  it('counts once of twenty at once, at the border of two hours and after a restart', async () => {
    const caller = await freshCaller()
    const url = 'https://core.test/api/chain/head'
    const border = Math.ceil(Date.now() / HOUR) * HOUR + 24 * HOUR
    // One minute of validity and two of skew: remembered until the border, and until the hour after it.
    for (const now of [border - 180_001, border - 180_000, border - 1, border]) {
      vi.useFakeTimers({ toFake: ['Date'], now })
      const authorization = await caller.identity.assertion({ audience: 'chain', method: 'GET', url, now })
      const once = () => anonymous('GET', '/api/chain/head', undefined, { authorization })
      const racers = await Promise.all(Array.from({ length: 20 }, once))
      expect(racers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(racers.filter(({ status }) => status === 401)).toHaveLength(19)
      await evictDurableObject(objectOf(caller))
      for (const later of [now, now + 60_000, now + 179_999, now + 180_000]) {
        vi.setSystemTime(later)
        expect((await once()).status).toBe(401)
      }
    }
  })
})
