import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'

const PERIOD = 600_000
/** A period ahead of the clock that alarms go by, so that none goes off by itself, and at its very beginning. */
const START = (Math.floor(Date.now() / PERIOD) + 2) * PERIOD
const MANY = 1_000

let objects = 0
/** An object that no other test has. */
const fresh = () => env.OPEN_NONCES.getByName(`test-${++objects}`)
type Nonces = ReturnType<typeof fresh>

const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
const name = (n: number) => n.toString(16).padStart(32, '0')
const spend = (nonces: Nonces, ...names: number[]) => nonces.spend(names.map(name), MANY)
const alarmOf = (nonces: Nonces) => runInDurableObject(nonces, (_, { storage }) => storage.getAlarm())
const rowsOf = (nonces: Nonces) =>
  runInDurableObject(nonces, (_, { storage: { sql } }) =>
    Object.fromEntries(
      sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'period_%' ORDER BY name")
        .toArray()
        .map((table) => [table.name, sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table.name}`).one().n]),
    ),
  )
const table = (time: number) => `period_${time / PERIOD}`

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
    expect(await nonces.spend([1, 2].map(name), 3)).toEqual([true, true])
    expect(await nonces.spend([3, 4].map(name), 3)).toBeNull()
    await evictDurableObject(nonces)
    expect(await nonces.spend([3, 4].map(name), 3)).toBeNull()
    expect(await nonces.spend([3].map(name), 3)).toEqual([true])
    expect(await nonces.spend([3].map(name), 4)).toEqual([false])
  })

  it('spends all of a call or none: a failure leaves neither names nor a count behind', async () => {
    const nonces = fresh()
    await spend(nonces, 1)
    const broken = runInDurableObject(nonces, (object) => object.spend([name(2), 'no hex'], MANY))
    await expect(broken).rejects.toThrow()
    expect(await nonces.spend([2, 3].map(name), 3)).toEqual([true, true])
    expect(Object.values(await rowsOf(nonces))).toEqual([3])
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
    expect(await rowsOf(nonces)).toEqual({ [table(START)]: 2, [table(START + PERIOD)]: 1 })
    at(START + 2 * PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await rowsOf(nonces)).toEqual({ [table(START + PERIOD)]: 1 })
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

  it('waits for an alarm that is late, and forgets nothing too soon for one that is early or comes twice', async () => {
    const nonces = fresh()
    at(START)
    await spend(nonces, 1)
    at(START + PERIOD)
    await runDurableObjectAlarm(nonces)
    expect(await spend(nonces, 1)).toEqual([false])
    expect(await alarmOf(nonces)).toBe(START + 2 * PERIOD)
    at(START + 5 * PERIOD)
    expect(await spend(nonces, 1, 2)).toEqual([false, true])
    await runDurableObjectAlarm(nonces)
    await runDurableObjectAlarm(nonces)
    expect(await spend(nonces, 1, 2)).toEqual([true, false])
  })

  it('is not sooner where the clock went back', async () => {
    const nonces = fresh()
    at(START + PERIOD)
    await spend(nonces, 1)
    at(START)
    expect(await spend(nonces, 1, 2)).toEqual([false, true])
    expect(await rowsOf(nonces)).toEqual({ [table(START + PERIOD)]: 2 })
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

  it('makes room again', async () => {
    const nonces = fresh()
    at(START)
    expect(await nonces.spend([1, 2].map(name), 2)).toEqual([true, true])
    at(START + 2 * PERIOD)
    expect(await nonces.spend([3].map(name), 2)).toBeNull()
    await runDurableObjectAlarm(nonces)
    expect(await nonces.spend([3, 4].map(name), 2)).toEqual([true, true])
  })
})
