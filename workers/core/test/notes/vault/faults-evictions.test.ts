import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendWith } from '../../harness.ts'
import { ask, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import {
  append,
  at,
  breakStore,
  ciphertext,
  collect,
  DAY_MS,
  erase,
  HOUR_MS,
  keeper,
  rebuild,
  reuse,
  upload,
  vaultsWith,
  version,
} from '../vault.fixture.ts'

const evict = (caller: TestCaller) => evictDurableObject(vaultOf(caller))
const alarmOf = (caller: TestCaller) => runInDurableObject(vaultOf(caller), (_, { storage }) => storage.getAlarm())

// In a future that the runtime does not reach, alarms run when they are told.
beforeEach(() => at(Date.now() + DAY_MS))
afterEach(() => {
  vi.useRealTimers()
})

describe('a vault that is evicted', () => {
  it('after every step goes on where it was', async () => {
    const { caller } = await keeper()
    await evict(caller)
    const update = await version(caller, 'note', ciphertext(1), 'update')
    expect(await append(caller, update)).toMatchObject({ data: { version: 2, seq: 1 } })
    await evict(caller)
    expect(await append(caller, update)).toMatchObject({ data: { version: 2, seq: 1 } })
    await evict(caller)
    expect(await upload(caller, 'note', 'a', ciphertext(2))).toMatchObject({ data: { seq: 2 } })
    await evict(caller)
    expect(await reuse(caller, 'note', 'b', ciphertext(1))).toMatchObject({ data: { seq: 3 } })
    await evict(caller)
    expect(await append(caller, await version(caller, 'other', ciphertext(2)))).toMatchObject({ data: { seq: 4 } })
    await evict(caller)
    const receipt = await erase(caller)
    expect(receipt.data['statement']).toMatchObject({ versions: 2, attachments: 2, seq: 5, size: 6 })
    await evict(caller)
    expect((await erase(caller)).data['statement']).toEqual(receipt.data['statement'])
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 192, objects: 3, refs: 1 })
    expect(await rebuild(caller, { dryRun: true })).toMatchObject({ differences: 0 })
    expect((await ask(caller, 'GET', vaultPath(caller, '/other'))).status).toBe(200)
  })

  it.each(['checkAttachment', 'attach'])('in the middle of an upload, at %s, takes it', async (step) => {
    const { caller } = await keeper()
    const evicting = sendWith(vaultsWith({ before: { [step]: () => evict(caller) } }))
    expect(await upload(caller, 'note', 'a', ciphertext(2), evicting)).toMatchObject({ status: 200, data: { seq: 1 } })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 2 })
  })

  it('keeps its alarm, and deletes what it was to delete', async () => {
    const { caller } = await keeper()
    const now = Date.now()
    await erase(caller)
    await evict(caller)
    expect(await alarmOf(caller)).toBe(now + DAY_MS)
    at(now + DAY_MS - 1)
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await alarmOf(caller)).toBe(now + DAY_MS)
    at(now + DAY_MS)
    await evict(caller)
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toEqual([])
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 0, objects: 0, refs: 0 })
    expect(await alarmOf(caller)).toBeNull()
  })
})

describe('the alarm', () => {
  it('is set for the oldest that waits, and then for the next', async () => {
    const { caller } = await keeper()
    await append(caller, await version(caller, 'other', ciphertext(1)))
    const now = Date.now()
    await erase(caller)
    at(now + HOUR_MS)
    await erase(caller, 'other')
    expect(await alarmOf(caller)).toBe(now + DAY_MS)
    at(now + DAY_MS)
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await alarmOf(caller)).toBe(now + HOUR_MS + DAY_MS)
  })

  it('changes nothing when it runs again, also over keys that are gone', async () => {
    const { caller } = await keeper()
    await upload(caller, 'note', 'a', ciphertext(1))
    await append(caller, await version(caller, 'other', ciphertext(1)))
    await runInDurableObject(vaultOf(caller), (_, { storage }) => {
      storage.sql.exec("INSERT INTO condemned (r2_key) VALUES ('notes/gone/already')")
    })
    for (let i = 0; i < 3; i++) {
      await runInDurableObject(vaultOf(caller), (vault) => vault.alarm?.())
      expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 3 })
      expect(await storedKeys(caller)).toHaveLength(2)
    }
  })

  it('tries again for as long as the store deletes nothing', async () => {
    const { caller } = await keeper()
    await erase(caller)
    at(Date.now() + DAY_MS)
    const deleting = breakStore('delete')
    for (let attempt = 0; attempt < 3; attempt++) {
      await runInDurableObject(vaultOf(caller), (vault) => vault.alarm?.())
      expect(await storedKeys(caller)).toHaveLength(1)
      expect(await alarmOf(caller)).toBeGreaterThan(Date.now())
    }
    deleting.mockRestore()
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toEqual([])
    expect(await alarmOf(caller)).toBeNull()
  })

  it('takes up what a collection could not delete', async () => {
    const { caller } = await keeper()
    await erase(caller)
    await runInDurableObject(vaultOf(caller), (_, { storage }) => storage.deleteAlarm())
    await evict(caller)
    at(Date.now() + DAY_MS)
    const deleting = breakStore('delete')
    await expect(collect(caller)).rejects.toMatchObject({ status: 503 })
    deleting.mockRestore()
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toEqual([])
  })
})
