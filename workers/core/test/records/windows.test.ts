import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import {
  busyCaller,
  files,
  headOf,
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
    await putProgress(object, { ...open, pending: { since: Date.now(), attempt: written?.record.attempt ?? '' } })
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
