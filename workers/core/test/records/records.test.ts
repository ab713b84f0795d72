import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceKeyDid } from '@svc/protocol/base/device'
import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshAddress, freshCaller, send } from '../harness.ts'
import {
  files,
  keys,
  keysOf,
  lose,
  objectOf,
  PREFIX,
  progressOf,
  putProgress,
  rebuild,
  record,
  stateOf,
} from './records.fixture.ts'

const SECRET = new TextEncoder().encode('what nobody but the owner may read')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const headOf = ({ identity }: TestCaller) => call({ identity, address: freshAddress() }, 'GET', '/api/chain/head')

/** A chain with a payload, a hold, devices, events and an anchor. */
async function busyCaller(): Promise<TestCaller> {
  const caller = await freshCaller()
  await caller.client.chain.append({ payload: SECRET, contentType: 'a/a' })
  await deviceOf(caller, { fetch: send, capabilities: [] })
  await caller.client.anchors.submit({ root: 'ab'.repeat(48), epoch: 'e' })
  await caller.client.security.placeHold()
  await caller.client.security.liftHold()
  return caller
}

describe('records of an identity', () => {
  it('rebuild it as it was: rows, answers, and what follows', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await caller.client.chain.append({ contentType: 'b/b' })
    await record(object)
    const [before, head] = [await stateOf(object), (await headOf(caller)).body]
    await lose(object)
    expect(await object.read()).toBeNull()
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(before)
    // The index of blocks is made again by the alarm.
    await runDurableObjectAlarm(object)
    expect((await headOf(caller)).body).toEqual(head)
    const found: string[] = []
    for await (const { index } of caller.client.chain.blocks()) found.push(index)
    expect(found).toEqual(['0', '1', '2'])
    await caller.client.chain.append({ contentType: 'c/c' })
    await record(object)
    const after = await stateOf(object)
    await lose(object)
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(after)
  })

  it('are readable by nobody without the seed', async () => {
    const caller = await busyCaller()
    await record(objectOf(caller.identity.did))
    for (const key of await keys()) {
      const file = await env.RECORDS.get(key)
      const text = new TextDecoder('latin1').decode(await file?.arrayBuffer())
      for (const plain of [caller.identity.did, 'what nobody', 'previousHash']) expect(key + text).not.toContain(plain)
    }
  })

  it('do not pass for those of another object, nor for another record', async () => {
    const [one, other] = [await busyCaller(), await busyCaller()]
    for (const { identity } of [one, other]) await record(objectOf(identity.did))
    const [first = ''] = await keysOf(one.identity.did)
    const [second = ''] = await keysOf(other.identity.did)
    const file = await env.RECORDS.get(first)
    await env.RECORDS.put(second, (await file?.arrayBuffer()) ?? '')
    const rebuilds = await Promise.all(
      [one, other].map(async ({ identity }) => {
        await lose(objectOf(identity.did))
        return rebuild(objectOf(identity.did))
      }),
    )
    expect(rebuilds).toEqual(['rebuilt', 'failed'])
    await env.RECORDS.delete(second)
  })

  it('hold the name of a device’s key', async () => {
    const { device } = await deviceOf(await freshCaller(), { fetch: send, capabilities: [] })
    const object = objectOf(deviceKeyDid(device.deviceId))
    await record(object)
    const before = await object.alias()
    await lose(object)
    expect(await object.alias()).toBeNull()
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await object.alias()).toEqual(before)
  })

  it('are listed by the names of their objects', async () => {
    const caller = await busyCaller()
    await record(objectOf(caller.identity.did))
    const names: string[] = []
    for (let after: string | null = null; ; ) {
      const page = await files().names(after, 1)
      names.push(...page.names)
      if (page.next === null) break
      after = page.next
    }
    expect(names).toContain(caller.identity.did)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('a window', () => {
  it('costs one row at its first change, and the next ones none', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    await caller.client.chain.append({})
    await record(object)
    const rows: number[] = []
    for (let n = 0; n < 2; n++) {
      const body = await caller.client.chain.makeBlock(await caller.client.chain.head(), {})
      let written = 0
      await runInDurableObject(object, ({ stored: { sql } }) => {
        const exec = sql.exec.bind(sql)
        vi.spyOn(sql, 'exec').mockImplementation(((...query: Parameters<typeof exec>) => {
          const cursor = exec(...query)
          written += cursor.rowsWritten
          return cursor
        }) as typeof exec)
      })
      expect((await call(caller, 'POST', '/api/chain/append', body)).status).toBe(201)
      vi.restoreAllMocks()
      rows.push(written)
    }
    expect(rows).toEqual([6, 5])
  })

  it('is not opened by reading', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const { sequence } = await progressOf(object)
    for (let n = 0; n < 3; n++) expect((await headOf(caller)).status).toBe(200)
    expect(await progressOf(object)).toMatchObject({ sequence, pending: null })
  })

  it('is recorded after the object was evicted in it', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await caller.client.security.placeHold()
    await evictDurableObject(object)
    await record(object)
    const before = await stateOf(object)
    await lose(object)
    await rebuild(object)
    expect(await stateOf(object)).toBe(before)
    expect(await object.isHeld()).toBe(true)
  })

  it('leaves nothing behind of an act that is refused', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const body = await caller.client.chain.makeBlock(await caller.client.chain.head(), {})
    await caller.client.security.placeHold()
    await record(object)
    const { sequence } = await progressOf(object)
    expect((await call(caller, 'POST', '/api/chain/append', body)).status).toBe(409)
    expect(await progressOf(object)).toMatchObject({ sequence, pending: null })
  })

  it('loses nothing of twenty writes at once while records are written', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    const writes = Array.from({ length: 20 }, async (_, n) => {
      if (n % 5 === 0) await record(object)
      return object.keep(caller.identity.did, { kind: 'pins', item: `item ${n}`, bytes: n })
    })
    await Promise.all(writes)
    await record(object)
    const before = await stateOf(object)
    await lose(object)
    await rebuild(object)
    expect(await stateOf(object)).toBe(before)
    expect(await object.kept()).toMatchObject({ byKind: { pins: { rows: 20 } } })
  })

  it('is tried again while R2 fails', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const put = vi.spyOn(env.RECORDS, 'put').mockRejectedValue(new Error('R2 is down'))
    await record(object)
    if (put.mock.calls.length > 0) expect(warn.mock.calls.join()).toContain('"delayed":"records"')
    put.mockRestore()
    await record(object)
    const before = await stateOf(object)
    await lose(object)
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(before)
  })
})

describe('a crash after a record was written and before that was noted', () => {
  it('is followed by another record with what changed since', async () => {
    const caller = await busyCaller()
    const object = objectOf(caller.identity.did)
    await record(object)
    await caller.client.security.placeHold()
    const open = await progressOf(object)
    await record(object)
    const written = await files().read(caller.identity.did, open.sequence + 1)
    await putProgress(object, { ...open, pending: { since: Date.now(), attempt: written?.attempt ?? '' } })
    await caller.client.security.liftHold()
    await record(object)
    expect((await progressOf(object)).sequence).toBe(open.sequence + 2)
    const before = await stateOf(object)
    await lose(object)
    await rebuild(object)
    expect(await stateOf(object)).toBe(before)
    expect(await object.isHeld()).toBe(false)
  })
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
    expect((await object.init(did, scope, genesis.key, genesis.genesis)).ok).toBe(true)
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

describe('records that are many', () => {
  it('are replaced by a base, and the older ones deleted', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const object = objectOf(did)
    for (let n = 0; n < 24; n++) {
      await runInDurableObject(object, ({ transaction: { stored, storage } }) =>
        stored.transact(() => {
          for (let m = 0; m < 100; m++) storage.keep(did, { kind: 'pins', item: crypto.randomUUID(), bytes: 1 })
        }),
      )
      await record(object)
    }
    const { base, sequence } = await progressOf(object)
    expect(base).toBeGreaterThan(1)
    expect((await files().sequences(caller.identity.did))[0]).toBe(base)
    expect((await files().sequences(caller.identity.did)).at(-1)).toBe(sequence)
    const before = await stateOf(object)
    await lose(object)
    await rebuild(object)
    expect(await stateOf(object)).toBe(before)
  })

  it('are divided when they are large, and begin again when they are lost', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    const { sequence } = await runInDurableObject(object, ({ transaction: { stored, events } }) =>
      stored.transact(() => {
        for (let n = 0; n < 5; n++) events.add('hold.placed', 'x'.repeat(1_000_000), Date.now())
        return events.head()
      }),
    )
    await record(object)
    expect((await files().sequences(caller.identity.did)).length).toBeGreaterThan(1)
    const heads = await runInDurableObject(object, ({ transaction: { events } }) => events.head().sequence)
    expect(heads).toBe(sequence)
    for (const key of await keys()) await env.RECORDS.delete(key)
    expect(await rebuild(object)).toBe('recorded')
    await record(object)
    const before = await stateOf(object)
    await lose(object)
    expect(await rebuild(object)).toBe('rebuilt')
    expect(await stateOf(object)).toBe(before)
  })
})

it('has keys under one prefix alone', async () => {
  for (const key of await keys()) expect(key).toMatch(new RegExp(`^${PREFIX}[0-9a-f]{64}/[0-9]{12}$`))
})
