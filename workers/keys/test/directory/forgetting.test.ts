import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { makePrekeys } from '@svc/client/functions'
import { REALM, type TestCaller } from '@svc/testing'
import { afterEach, beforeAll, expect, inject, it, vi } from 'vitest'
import { caller, dataOf } from '../harness.ts'
import { accountOf, opened } from '../transparency/log.fixture.ts'
import { type PublishedDevice, publishedDevice, reserve } from './directory.fixture.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests take their long form. */
    isLong: boolean
  }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MONTHS = inject('isLong') ? 8 : 4

beforeAll(opened)
afterEach(() => {
  vi.useRealTimers()
})

const alarmOf = (owner: TestCaller) => runInDurableObject(accountOf(owner), (_, { storage }) => storage.getAlarm())
const keptBy = (owner: TestCaller) =>
  runInDurableObject(accountOf(owner), (_, { storage: { sql } }) =>
    sql
      .exec<{ reservations: number; receipts: number; oldest: number | null }>(
        'SELECT count(*) AS reservations, count(receipt) AS receipts, min(reserved_at) AS oldest FROM reservations',
      )
      .one(),
  )

/** Moves the clock, and lets the alarm go off where it is due, as the platform does. */
async function moveTo(owner: TestCaller, time: number): Promise<void> {
  for (let due = await alarmOf(owner); due !== null && due <= time; due = await alarmOf(owner)) {
    vi.setSystemTime(Math.max(due, Date.now()))
    await runDurableObjectAlarm(accountOf(owner))
  }
  vi.setSystemTime(time)
}

async function restock({ device }: PublishedDevice, owner: TestCaller): Promise<void> {
  const { upload } = await makePrekeys(device, { realm: REALM, now: Date.now() }, { profile: 'bound-v4', count: 50 })
  await owner.client.keyDirectory.addPrekeys(device.deviceId, [upload])
}

it('keeps 90 days of reservations, however often the object restarts in between', async () => {
  const owner = await caller()
  const sender = await caller()
  const device = await publishedDevice(owner, { count: 1 })
  // An object with a timer that runs is not evicted, and each call to core would leave one.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  // Core keeps the real time; alarms go by it too, so none of what follows goes off by itself.
  const start = Date.now() + DAY
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  let made = 0
  for (let time = start; time < start + MONTHS * 30 * DAY; time += 20 * HOUR) {
    await moveTo(owner, time)
    if (made % 40 === 0) await restock(device, owner)
    dataOf(await reserve(sender, device, `k${made}`))
    made += 1
    await evictDurableObject(accountOf(owner))
  }
  const kept = await keptBy(owner)
  expect(made).toBeGreaterThan(MONTHS * 35)
  expect(kept.oldest).toBeGreaterThanOrEqual(Date.now() - 92 * DAY)
  expect(kept.reservations).toBeLessThanOrEqual(112)
  expect(kept.receipts).toBeLessThanOrEqual(4)
}, 120_000)

it('wakes no more once nothing is left to forget', async () => {
  const owner = await caller()
  const sender = await caller()
  const device = await publishedDevice(owner, { count: 2 })
  const start = Date.now() + DAY
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  await moveTo(owner, start + 2 * DAY)
  expect(await alarmOf(owner)).toBeNull()
  dataOf(await reserve(sender, device, 'k'))
  await moveTo(owner, start + 200 * DAY)
  expect(await keptBy(owner)).toEqual({ reservations: 0, receipts: 0, oldest: null })
  expect(await alarmOf(owner)).toBeNull()
})
