import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceKeyDid } from '@svc/protocol/base/device'
import { deviceOf } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import {
  busyCaller,
  files,
  headOf,
  keys,
  keysOf,
  lose,
  objectOf,
  PREFIX,
  progressOf,
  rebuild,
  record,
  stateOf,
} from './records.fixture.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

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
        for (let n = 0; n < 5; n++) events.add('hold.placed', String(n).repeat(1_000_000), Date.now())
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
