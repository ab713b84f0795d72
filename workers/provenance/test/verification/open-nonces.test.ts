import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'

const PERIOD = 600_000
/** A period ahead of the clock that alarms go by, so that none goes off by itself, and at its very beginning. */
const START = (Math.floor(Date.now() / PERIOD) + 2) * PERIOD
const MANY = 1_000_000
/** How many a call takes at most. */
const FULL = 4_096
/** Such calls, after which the oldest names of a period are moved. */
const CALLS = 63

let objects = 0
/** An object that no other test has. */
const fresh = () => env.OPEN_NONCES.getByName(`test-${++objects}`)
type Nonces = ReturnType<typeof fresh>

const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
const named = (...names: number[]) => {
  const bytes = new Uint8Array(names.length * 16).fill(7)
  const view = new DataView(bytes.buffer)
  for (const [i, n] of names.entries()) view.setUint32(i * 16 + 12, n)
  return bytes
}
const spend = (nonces: Nonces, ...names: number[]) => nonces.spend(named(...names), MANY)
const alarmOf = (nonces: Nonces) => runInDurableObject(nonces, (_, { storage }) => storage.getAlarm())
/** How many names each table has. */
const tablesOf = (nonces: Nonces) =>
  runInDurableObject(nonces, (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB '*_[0-9]*'").toArray()
    const counted = tables.map(({ name }) => {
      const names = name.startsWith('recent') ? 'coalesce(sum(length(names)), 0) / 16' : 'count(*)'
      return [name, sql.exec<{ n: number }>(`SELECT ${names} AS n FROM ${name}`).one().n] as const
    })
    return Object.fromEntries(counted)
  })
const log = (time: number) => `recent_${time / PERIOD}`
const table = (time: number) => `moved_${time / PERIOD}`

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
    expect(await tablesOf(nonces)).toEqual({})
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
      const [first] = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'recent_*'").toArray()
      sql.exec(`CREATE TRIGGER fails AFTER INSERT ON ${first?.name} WHEN hex(NEW.names) LIKE '%00000003'
        BEGIN SELECT raise(ABORT, 'no room on the disk'); END`)
    })
    const broken = runInDurableObject(nonces, (object) => object.spend(named(2, 3), MANY))
    await expect(broken).rejects.toThrow('no room on the disk')
    expect(await nonces.spend(named(2, 4), 3)).toEqual([true, true])
    expect(Object.values(await tablesOf(nonces))).toEqual([3])
  })
})

describe('many', () => {
  const full = (i: number) => named(...Array.from({ length: FULL }, (_, n) => i * FULL + n))
  const all = (answer: boolean) => Array<boolean>(FULL).fill(answer)

  it('are moved to the table, and none is forgotten on the way', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1_000_001)
    for (let i = 0; i <= CALLS; i++) expect(await nonces.spend(full(i), MANY)).toEqual(all(true))
    expect(await tablesOf(nonces)).toEqual({ [log(START)]: (CALLS - 3) * FULL, [table(START)]: 4 * FULL + 1 })
    for (let i = 0; i <= CALLS; i++) expect(await nonces.spend(full(i), MANY)).toEqual(all(false))
    await evictDurableObject(nonces)
    for (let i = 0; i <= CALLS; i++) expect(await nonces.spend(full(i), MANY)).toEqual(all(false))
    expect(await spend(nonces, 1_000_001, 1_000_002, 1_000_002)).toEqual([false, true, false])
    expect(await nonces.spend(full(CALLS + 1), (CALLS + 2) * FULL + 1)).toBeNull()
    expect(await nonces.spend(full(CALLS + 1), (CALLS + 2) * FULL + 2)).toEqual(all(true))
    at(START + PERIOD)
    expect(await nonces.spend(full(CALLS), MANY)).toEqual(all(false))
    expect(await nonces.spend(full(CALLS + 2), MANY)).toEqual(all(true))
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await tablesOf(nonces)).toEqual({ [log(START + PERIOD)]: FULL })
    expect(await nonces.spend(full(0), MANY)).toEqual(all(true))
  })

  it('are where they were when moving them fails', async () => {
    const nonces = fresh()
    at(START)
    for (let i = 0; i < CALLS - 1; i++) await nonces.spend(full(i), MANY)
    await runInDurableObject(nonces, (_, { storage: { sql } }) => {
      sql.exec(`CREATE VIEW ${table(START)} AS SELECT 1 AS name`)
    })
    const broken = runInDurableObject(nonces, (object) => object.spend(full(CALLS - 1), MANY))
    await expect(broken).rejects.toThrow('is a view')
    await runInDurableObject(nonces, (_, { storage: { sql } }) => {
      sql.exec(`DROP VIEW ${table(START)}`)
    })
    expect(await tablesOf(nonces)).toEqual({ [log(START)]: (CALLS - 1) * FULL })
    expect(await nonces.spend(full(CALLS - 2), MANY)).toEqual(all(false))
    expect(await nonces.spend(full(CALLS - 1), MANY)).toEqual(all(true))
    expect(await tablesOf(nonces)).toEqual({ [log(START)]: (CALLS - 4) * FULL, [table(START)]: 4 * FULL })
  })

  it('are not taken in one call beyond what it may have', async () => {
    const nonces = fresh()
    const tooMany = named(...Array.from({ length: FULL + 1 }, (_, n) => n))
    await expect(runInDurableObject(nonces, (object) => object.spend(tooMany, MANY))).rejects.toThrow('4096 names')
    expect(await tablesOf(nonces)).toEqual({})
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
    expect(await tablesOf(nonces)).toEqual({ [log(START)]: 2, [log(START + PERIOD)]: 1 })
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await tablesOf(nonces)).toEqual({ [log(START + PERIOD)]: 1 })
    expect(await alarmOf(nonces)).toBe(START + 3 * PERIOD)
    expect(await spend(nonces, 1, 2, 3)).toEqual([true, true, false])
  })

  it('leaves nothing behind in the end, and begins anew', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1)
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await tablesOf(nonces)).toEqual({})
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
    at(START + 4 * PERIOD)
    await spend(nonces, 3)
    expect(await alarmOf(nonces)).toBe(START + 6 * PERIOD)
    await evictDurableObject(nonces)
    at(START + 8 * PERIOD)
    await spend(nonces, 4)
    expect(await alarmOf(nonces)).toBe(START + 10 * PERIOD)
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
