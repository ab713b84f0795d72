import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anonymous } from '../harness.ts'
import {
  busyCaller,
  headOf,
  keys,
  keysOf,
  lose,
  objectOf,
  progressOf,
  putProgress,
  rebuild,
  record,
  stateOf,
} from './records.fixture.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('an object that was restored to an earlier time', () => {
  it('gets what its records have', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await record(object)
    const earlier = await progressOf(object)
    await caller.client.security.placeHold()
    await record(object)
    const later = await stateOf(object)
    await runInDurableObject(object, (_, { storage: { sql } }) => sql.exec("DELETE FROM facts WHERE name = 'hold'"))
    await putProgress(object, earlier)
    expect(await object.isHeld()).toBe(false)
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(later)
  })

  it('records nothing over them once it has written, until an operator decides', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await record(object)
    const earlier = await progressOf(object)
    await caller.client.security.placeHold()
    await record(object)
    const later = await stateOf(object)
    const recorded = await keys()
    await putProgress(object, earlier)
    await object.keep(caller.identity.did, { kind: 'pins', item: 'new', bytes: 1 })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await record(object)
    expect(warn.mock.calls.join()).toContain('RecordConflict')
    expect(await keys()).toEqual(recorded)
    expect(await rebuild(object)).toBe('newer')
    expect(await rebuild(object, { replaces: true })).toBe('rebuilt')
    expect(await stateOf(object)).toBe(later)
  })

  it('is told from one that was created anew', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const before = await stateOf(object)
    const genesis = await object.genesis()
    await lose(object)
    if (!genesis) throw new Error('no genesis')
    const { did, scope } = genesis.identity
    expect((await object.init({ did, scope, ...genesis })).ok).toBe(true)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await record(object)
    expect(await rebuild(object)).toBe('newer')
    expect(await rebuild(object, { replaces: true })).toBe('rebuilt')
    expect(await stateOf(object)).toBe(before)
  })
})

describe('a rebuilt object', () => {
  it('refuses what was signed before it was lost, and takes what is signed after', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const url = 'https://core.test/api/chain/head'
    const authorization = await caller.identity.assertion({ audience: 'chain', method: 'GET', url, now: Date.now() })
    const once = () => anonymous('GET', '/api/chain/head', undefined, { authorization })
    expect((await once()).status).toBe(200)
    const lostAt = Date.now()
    await lose(object)
    await rebuild(object, { lostAt })
    expect((await once()).status).toBe(401)
    expect((await headOf(caller)).status).toBe(401)
    vi.setSystemTime(lostAt + 120_001)
    expect((await headOf(caller)).status).toBe(200)
  })

  it('was rebuilt once by twenty at once, and is left as it is by the next', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const before = await stateOf(object)
    await lose(object)
    await Promise.all(Array.from({ length: 20 }, () => rebuild(object)))
    expect(await stateOf(object)).toBe(before)
    expect(await rebuild(object)).toBe('unchanged')
    expect(await rebuild(objectOf('did:svc:unknown'))).toBe('not_found')
  })

  it('does not exist until it is whole', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await caller.client.security.placeHold()
    await record(object)
    const before = await stateOf(object)
    const key = (await keysOf(caller.identity.did)).at(-2) ?? ''
    const body = (await (await env.RECORDS.get(key))?.arrayBuffer()) ?? ''
    await lose(object)
    await env.RECORDS.delete(key)
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect(await rebuild(object)).toBe('failed')
    expect(warn.mock.calls.join()).toContain('rebuilding an object')
    expect(await object.read()).toBeNull()
    await env.RECORDS.put(key, body)
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(before)
  })
})
