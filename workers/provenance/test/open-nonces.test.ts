import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'

const PERIOD = 600_000
/** A period ahead of the clock that alarms go by, so that none goes off by itself, and at its very beginning. */
const START = (Math.floor(Date.now() / PERIOD) + 2) * PERIOD
const MANY = 100_000

let objects = 0
/** An object that no other test has. */
const fresh = () => env.OPEN_NONCES.getByName(`test-${++objects}`)
type Nonces = ReturnType<typeof fresh>

const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
const named = (...names: number[]) =>
  Uint8Array.from(names.flatMap((n) => [...Array.from({ length: 14 }, () => 7), n >> 8, n & 0xff]))
const spend = (nonces: Nonces, ...names: number[]) => nonces.spend(named(...names), MANY)
const alarmOf = (nonces: Nonces) => runInDurableObject(nonces, (_, { storage }) => storage.getAlarm())
const rowsOf = (nonces: Nonces) =>
  runInDurableObject(nonces, (_, { storage: { sql } }) =>
    Object.fromEntries(
      sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB '*_[0-9]*' ORDER BY name")
        .toArray()
        .map((table) => [table.name, sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table.name}`).one().n]),
    ),
  )
const recent = (time: number) => `recent_${time / PERIOD}`
const large = (time: number) => `large_${time / PERIOD}`

afterEach(() => {
  vi.useRealTimers()
})

describe('spending', () => {
  it('takes a name once, and of equal ones in a call the first', async () => {
    const nonces = fresh()
    expect(await spend(nonces, 1, 2, 1)).toEqual([true, true, false])
    expect(await spend(nonces, 3, 1, 2, 4)).toEqual([true, false, false, true])
  })

  it('lets exactly one of twenty concurrent calls win each name', async () => {
    const nonces = fresh()
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => spend(nonces, 1, 2, 10 + i)))
    for (const place of [0, 1]) expect(all.filter((wereNew) => wereNew?.[place])).toHaveLength(1)
    expect(all.every((wereNew) => wereNew?.[2])).toBe(true)
  })

  it('remembers after an eviction', async () => {
    const nonces = fresh()
    await spend(nonces, 1)
    await evictDurableObject(nonces)
    expect(await spend(nonces, 1, 2)).toEqual([false, true])
  })

  it('leaves nothing behind for no names', async () => {
    const nonces = fresh()
    expect(await spend(nonces)).toEqual([])
    expect(await rowsOf(nonces)).toEqual({})
    expect(await alarmOf(nonces)).toBeNull()
  })

  it('takes none of what there may be no room for, before an eviction and after', async () => {
    const nonces = fresh()
    expect(await nonces.spend(named(1, 2), 3)).toEqual([true, true])
    expect(await nonces.spend(named(3, 4), 3)).toBeNull()
    await evictDurableObject(nonces)
    expect(await nonces.spend(named(3, 4), 3)).toBeNull()
    expect(await nonces.spend(named(3), 3)).toEqual([true])
    expect(await nonces.spend(named(3), 4)).toEqual([false])
  })

  it('spends all of a call or none: a failure leaves neither names nor a count behind', async () => {
    const nonces = fresh()
    await spend(nonces, 1)
    await runInDurableObject(nonces, (_, { storage: { sql } }) => {
      const [table] = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'recent_*'").toArray()
      sql.exec(`CREATE TRIGGER fails AFTER INSERT ON ${table?.name} WHEN hex(NEW.name) LIKE '%0003'
        BEGIN SELECT raise(ABORT, 'no room on the disk'); END`)
    })
    const broken = runInDurableObject(nonces, (object) => object.spend(named(2, 3), MANY))
    await expect(broken).rejects.toThrow('no room on the disk')
    expect(await nonces.spend(named(2, 4), 3)).toEqual([true, true])
    expect(Object.values(await rowsOf(nonces))).toEqual([3])
  })
})

describe('many', () => {
  const hundred = (i: number) => named(...Array.from({ length: 100 }, (_, n) => i * 100 + n))

  it('are moved to the large table, and none is forgotten on the way', async () => {
    const nonces = fresh()
    at(START)
    for (let i = 0; i < 42; i++) expect(await nonces.spend(hundred(i), MANY)).toEqual(Array(100).fill(true))
    expect(await rowsOf(nonces)).toEqual({ [large(START)]: 4_100, [recent(START)]: 100 })
    for (let i = 0; i < 42; i++) expect(await nonces.spend(hundred(i), MANY)).toEqual(Array(100).fill(false))
    await evictDurableObject(nonces)
    expect(await nonces.spend(hundred(0), 4_300)).toEqual(Array(100).fill(false))
    expect(await nonces.spend(hundred(42), 4_299)).toBeNull()
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await rowsOf(nonces)).toEqual({})
  })

  it('are where they were when moving them fails', async () => {
    const nonces = fresh()
    at(START)
    for (let i = 0; i < 40; i++) await nonces.spend(hundred(i), MANY)
    await runInDurableObject(nonces, (_, { storage: { sql } }) => {
      sql.exec(`CREATE VIEW ${large(START)} AS SELECT 1`)
    })
    const broken = runInDurableObject(nonces, (object) => object.spend(hundred(40), MANY))
    await expect(broken).rejects.toThrow('already exists')
    await runInDurableObject(nonces, (_, { storage: { sql } }) => {
      sql.exec(`DROP VIEW ${large(START)}`)
    })
    expect(await nonces.spend(hundred(39), MANY)).toEqual(Array(100).fill(false))
    expect(await nonces.spend(hundred(40), MANY)).toEqual(Array(100).fill(true))
    expect(await rowsOf(nonces)).toEqual({ [large(START)]: 4_100 })
  })
})

describe('forgetting', () => {
  it('is of a whole period, and of none before its last name has been remembered for as long', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1)
    at(START + PERIOD - 1)
    await spend(nonces, 2)
    expect(await alarmOf(nonces)).toBe(START + 2 * PERIOD)
    at(START + 2 * PERIOD - 1)
    expect(await spend(nonces, 1, 2, 3)).toEqual([false, false, true])
    expect(await rowsOf(nonces)).toEqual({ [recent(START)]: 2, [recent(START + PERIOD)]: 1 })
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await rowsOf(nonces)).toEqual({ [recent(START + PERIOD)]: 1 })
    expect(await alarmOf(nonces)).toBe(START + 3 * PERIOD)
    expect(await spend(nonces, 1, 2, 3)).toEqual([true, true, false])
  })

  it('leaves nothing behind in the end, and begins anew', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1)
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await rowsOf(nonces)).toEqual({})
    expect(await alarmOf(nonces)).toBeNull()
    expect(await spend(nonces, 1)).toEqual([true])
    expect(await alarmOf(nonces)).toBe(START + 4 * PERIOD)
  })

  it('is not sooner for an alarm that is early or comes twice, nor later for one that is late', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1)
    at(START + PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await spend(nonces, 1)).toEqual([false])
    expect(await alarmOf(nonces)).toBe(START + 2 * PERIOD)
    at(START + 2 * PERIOD)
    expect(await spend(nonces, 1, 2)).toEqual([true, true])
    await runDurableObjectAlarm(nonces)
    await runDurableObjectAlarm(nonces)
    expect(await spend(nonces, 1, 2)).toEqual([false, false])
  })

  it('is not sooner where the clock went back, and not later for what is spent then', async () => {
    const nonces = fresh()
    at(START + 5 * PERIOD)
    await spend(nonces, 1)
    at(START)
    expect(await spend(nonces, 1, 2)).toEqual([false, true])
    at(START + 2 * PERIOD)
    expect(await spend(nonces, 1, 2)).toEqual([false, true])
  })

  it('happens though the object crashed between the alarm and the first name', async () => {
    const nonces = fresh()
    at(START)
    await runInDurableObject(nonces, (_, { storage }) => storage.setAlarm(START + 2 * PERIOD))
    await evictDurableObject(nonces)
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await alarmOf(nonces)).toBeNull()
    await spend(nonces, 1)
    expect(await alarmOf(nonces)).toBe(START + 4 * PERIOD)
  })

  it('has its alarm though one was set for later, or was due and never came', async () => {
    const nonces = fresh()
    at(START + 9 * PERIOD)
    await spend(nonces, 1)
    at(START)
    await spend(nonces, 2)
    expect(await alarmOf(nonces)).toBe(START + 2 * PERIOD)
    await evictDurableObject(nonces)
    at(START + 4 * PERIOD)
    await spend(nonces, 3)
    expect(await alarmOf(nonces)).toBe(START + 6 * PERIOD)
  })

  it('makes room again', async () => {
    const nonces = fresh()
    at(START)
    expect(await nonces.spend(named(1, 2), 2)).toEqual([true, true])
    at(START + 2 * PERIOD - 1)
    expect(await nonces.spend(named(3), 2)).toBeNull()
    at(START + 2 * PERIOD)
    expect(await nonces.spend(named(3, 4), 2)).toEqual([true, true])
  })
})
