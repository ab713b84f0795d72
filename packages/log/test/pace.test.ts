import { expect, it } from 'vitest'
import { leaf, TestLog } from './logs.fixture.ts'

it('batches follow each other at once after a pause, and then once a second', async () => {
  const log = new TestLog()
  await log.object.head()
  const waits: number[] = []
  let now = Date.now()
  const wait = (ms: number) => {
    waits.push(ms)
    now += ms
    return Promise.resolve()
  }
  await log.restarted({ now: () => now, wait }, async (object) => {
    const submit = async (count: number) => {
      for (let i = 0; i < count; i++) await object.submit(now, [leaf(crypto.randomUUID())])
    }
    await submit(60)
    // A credit of 30, and what ten hundred milliseconds give back.
    const quick = waits.filter((ms) => ms === 100).length
    expect(quick).toBeGreaterThanOrEqual(30)
    expect(quick).toBeLessThan(40)
    expect(waits.slice(-10).every((ms) => ms > 800 && ms <= 1_000)).toBe(true)
    now += 30_000
    waits.length = 0
    await submit(10)
    expect(new Set(waits)).toEqual(new Set([100]))
    // A clock that goes back gives no credit, and takes none.
    now -= 86_400_000
    waits.length = 0
    await submit(10)
    expect(waits.every((ms) => ms <= 1_000)).toBe(true)
  })
})
