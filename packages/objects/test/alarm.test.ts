import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fresh, inStorage, type Ledger } from './objects.fixture.ts'

describe('the alarm', () => {
  const alarmOf = (ledger: Ledger) => inStorage(ledger, (storage) => storage.getAlarm())
  // Ahead of the clock that alarms go by, so that none goes off by itself.
  const NOW = Date.now() + 86_400_000
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is moved to an earlier time and never to a later one', async () => {
    const ledger = fresh()
    await ledger.wakeBy(NOW + 5_000)
    await ledger.wakeBy(NOW + 9_000)
    expect(await alarmOf(ledger)).toBe(NOW + 5_000)
    await ledger.wakeBy(NOW + 1_000)
    expect(await alarmOf(ledger)).toBe(NOW + 1_000)
  })

  it('is read back by an object that has restarted', async () => {
    const ledger = fresh()
    await ledger.add('1')
    await ledger.wakeBy(NOW + 5_000)
    await evictDurableObject(ledger)
    await ledger.wakeBy(NOW + 9_000)
    expect(await alarmOf(ledger)).toBe(NOW + 5_000)
  })

  it('is set by calls of the turn in which the object starts, for the earliest of them', async () => {
    const ledger = fresh()
    await ledger.add('1')
    await evictDurableObject(ledger)
    await Promise.all([7, 3, 5].map((seconds) => ledger.wakeBy(NOW + seconds * 1_000)))
    expect(await alarmOf(ledger)).toBe(NOW + 3_000)
  })

  it('is set anew after it went off, and after everything was deleted', async () => {
    const ledger = fresh()
    await ledger.add('1')
    await ledger.wakeBy(NOW + 5_000)
    expect(await runDurableObjectAlarm(ledger)).toBe(true)
    await ledger.wakeBy(NOW + 9_000)
    expect(await alarmOf(ledger)).toBe(NOW + 9_000)
    await ledger.forget()
    expect(await alarmOf(ledger)).toBeNull()
    await ledger.wakeBy(NOW + 11_000)
    expect(await alarmOf(ledger)).toBe(NOW + 11_000)
  })

  it('that was due long ago and never came is set anew', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    const ledger = fresh()
    await ledger.wakeBy(NOW + 5_000)
    vi.setSystemTime(NOW + 600_000)
    await ledger.wakeBy(NOW + 700_000)
    expect(await alarmOf(ledger)).toBe(NOW + 5_000)
    vi.setSystemTime(NOW + 606_000)
    await ledger.wakeBy(NOW + 700_000)
    expect(await alarmOf(ledger)).toBe(NOW + 700_000)
  })
})
