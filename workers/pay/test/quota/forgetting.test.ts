import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'
import { consume, DAY_MS, meterObject, receiptOf } from './quota.fixture.ts'

const MONTHS = 8
/** The keys of the running month and of the one before, whose alarm comes a day after its end. */
const MOST_KEYS = Math.ceil((62 * 24) / 40) + 2

afterEach(() => {
  vi.useRealTimers()
})

it('forgets keys a day after their month, however often the object restarts in between', async () => {
  const by = await caller()
  const meter = meterObject(by)
  const alarm = () => runInDurableObject(meter, (_, { storage }) => storage.getAlarm())
  const keys = () =>
    runInDurableObject(
      meter,
      (_, { storage: { sql } }) => sql.exec<{ n: number }>('SELECT count(*) AS n FROM uses').one().n,
    )
  // Ahead of the clock that alarms go by, so that none goes off by itself.
  const start = Date.now() + 62 * DAY_MS
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  let made = 0
  for (let time = start; time < start + MONTHS * 30 * DAY_MS; time += (40 / 24) * DAY_MS) {
    for (let due = made === 0 ? null : await alarm(); due !== null && due <= time; due = await alarm()) {
      vi.setSystemTime(due)
      await runDurableObjectAlarm(meter)
    }
    vi.setSystemTime(time)
    receiptOf(await consume(by, 'text', `k${made}`))
    made += 1
    expect(await keys()).toBeLessThanOrEqual(MOST_KEYS)
    await evictDurableObject(meter)
  }
  expect(made).toBeGreaterThan(140)
}, 120_000)
