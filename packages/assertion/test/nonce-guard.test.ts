import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { NonceGuard } from '../src/worker/index.ts'
import { NonceGuardClient } from '../src/worker/nonce-guard-client.ts'
import { NonceStore } from '../src/worker/nonce-store.ts'

const guards = (env as unknown as { NONCES: DurableObjectNamespace<NonceGuard> }).NONCES
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** How long after the end of its last hour a guard is deleted. */
const GRACE = HOUR

let signers = 0
/** A guard not used by any other test, and the name of its signer. */
function freshGuard() {
  signers += 1
  const signer = signers.toString(16).padStart(96, '0')
  return { signer, guard: guards.getByName(signer) }
}
type Guard = ReturnType<typeof freshGuard>['guard']

const soon = () => Date.now() + MINUTE
const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
const hourOf = (time: number) => Math.floor(time / HOUR)
const endOf = (time: number) => (hourOf(time) + 1) * HOUR
const tablesOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  )
/** The hours that have a table, after the given time. */
const hoursOf = async (guard: Guard, time: number) =>
  (await tablesOf(guard)).flatMap((name) => (name.startsWith('nonces_') ? [Number(name.slice(7)) - hourOf(time)] : []))
const namesOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'nonces_*'")
      .toArray()
      .flatMap(({ name: table }) => storage.sql.exec<{ name: ArrayBuffer }>(`SELECT name FROM ${table}`).toArray()),
  )
const alarmOf = (guard: Guard) => runInDurableObject(guard, (_, { storage }) => storage.getAlarm())

afterEach(() => {
  vi.useRealTimers()
})

describe('spending', () => {
  it('accepts a nonce once', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
    expect(await guard.spend(signer, 'm', soon())).toBe('spent')
  })

  it('lets exactly one of twenty concurrent calls win', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.spend(signer, 'n', keepUntil)))
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replay')).toHaveLength(19)
  })

  it('accepts twenty different nonces at once', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => guard.spend(signer, `n${i}`, keepUntil)))
    expect(new Set(outcomes)).toEqual(new Set(['spent']))
    const names = await namesOf(guard)
    expect(names.map(({ name }) => name.byteLength)).toEqual(Array(20).fill(16))
  })

  it('keeps signers apart: one cannot use up another’s nonce', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend('another', 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend('another', 'n', soon())).toBe('replay')
  })

  it('does not take the end of a signer for the beginning of a nonce', async () => {
    const { guard } = freshGuard()
    for (const [signer, nonce] of [
      ['1', '12'],
      ['11', '2'],
      ['1:1', '2'],
      ['1', ':12'],
    ] as const)
      expect(await guard.spend(signer, nonce, soon())).toBe('spent')
  })

  it('distinguishes nonces by every character', async () => {
    const { guard, signer } = freshGuard()
    for (const nonce of ['n', 'N', 'n!', "n'; DROP TABLE nonces; --", 'n'.repeat(256)]) {
      expect(await guard.spend(signer, nonce, soon())).toBe('spent')
      expect(await guard.spend(signer, nonce, soon())).toBe('replay')
    }
  })

  it('refuses a spent nonce with an earlier or later expiry', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', soon())).toBe('spent')
    expect(await guard.spend(signer, 'n', soon() + MINUTE)).toBe('replay')
    expect(await guard.spend(signer, 'n', Date.now() + 1000)).toBe('replay')
  })

  it('remembers after an eviction', async () => {
    const { guard, signer } = freshGuard()
    await guard.spend(signer, 'n', soon())
    await evictDurableObject(guard)
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
    expect(await guard.spend(signer, 'm', soon())).toBe('spent')
  })
})

describe('expiry', () => {
  // A day ahead of the clock of alarms, so that none fires by itself.
  const NOW = Date.now() + 86_400_000

  it('is refused from that millisecond on', async () => {
    const { guard, signer } = freshGuard()
    at(NOW)
    expect(await guard.spend(signer, 'a', NOW - 1)).toBe('expired')
    expect(await guard.spend(signer, 'a', NOW)).toBe('expired')
    expect(await guard.spend(signer, 'a', NOW + 1)).toBe('spent')
  })

  it('leaves nothing behind in an object without nonces', async () => {
    const { guard, signer } = freshGuard()
    expect(await guard.spend(signer, 'n', Date.now() - 1)).toBe('expired')
    expect(await tablesOf(guard)).toEqual([])
    expect(await alarmOf(guard)).toBeNull()
  })

  it('prevents replay between expiry and expiry plus skew, swept or not', async () => {
    const { guard, signer } = freshGuard()
    const [expiresAt, skew] = [NOW + MINUTE, 2 * MINUTE]
    at(NOW)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('spent')
    for (const time of [expiresAt - 1, expiresAt, expiresAt + 1, expiresAt + skew - 1]) {
      at(time)
      expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('replay')
      await runDurableObjectAlarm(guard)
      expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('replay')
    }
    at(expiresAt + skew)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('expired')
    await runDurableObjectAlarm(guard)
    expect(await guard.spend(signer, 'n', expiresAt + skew)).toBe('expired')
  })
})

describe('hours', () => {
  /** The begin of an hour, a day ahead of the clock of alarms. */
  const HOUR_0 = endOf(Date.now() + 86_400_000)

  it('have a table each, made by their first nonce', async () => {
    const { guard, signer } = freshGuard()
    at(HOUR_0)
    for (const [i, ahead] of [5, 59, 61, 70].entries()) await guard.spend(signer, `n${i}`, HOUR_0 + ahead * MINUTE)
    expect(await hoursOf(guard, HOUR_0)).toEqual([0, 1])
    expect(await tablesOf(guard)).toHaveLength(3)
  })

  it('are at most three at a time, however long and however late assertions are sent', async () => {
    const { guard, signer } = freshGuard()
    // The longest that a verifier accepts: an hour, signed at the edge of the skew, and the skew.
    const longest = 70 * MINUTE
    for (let minute = 0; minute < 5 * 60; minute += 7) {
      at(HOUR_0 + minute * MINUTE)
      for (const kept of [1, MINUTE, HOUR, longest])
        expect(await guard.spend(signer, `${minute} ${kept}`, Date.now() + kept)).toBe('spent')
      const hours = await hoursOf(guard, Date.now())
      expect(hours.length).toBeLessThanOrEqual(3)
      expect(hours.every((hour) => hour >= 0 && hour <= 2)).toBe(true)
    }
  })

  it('do not let a nonce through twice at their border', async () => {
    const { guard, signer } = freshGuard()
    const border = HOUR_0 + HOUR
    at(border - MINUTE)
    const ends = [border - 1, border, border + 1]
    for (const first of ends) {
      expect(await guard.spend(signer, `n${first}`, first)).toBe('spent')
      for (const again of ends) expect(await guard.spend(signer, `n${first}`, again)).toBe('replay')
    }
    for (const time of [border - 2, border - 1, border, border + 1]) {
      at(time)
      for (const first of ends) {
        expect(await guard.spend(signer, `n${first}`, first)).toBe(first > time ? 'replay' : 'expired')
      }
    }
  })

  it('let one of twenty callers win on either side of their border', async () => {
    const { guard, signer } = freshGuard()
    at(HOUR_0 + 59 * MINUTE)
    const ends = Array.from({ length: 20 }, (_, i) => HOUR_0 + HOUR + (i % 2 ? 1 : -1) * (i + 1))
    const outcomes = await Promise.all(ends.map((end) => guard.spend(signer, 'n', end)))
    expect(outcomes.toSorted()).toEqual([...Array(19).fill('replay'), 'spent'])
  })

  it('are dropped whole by the next spend, which forgets nothing that could be replayed', async () => {
    const { guard, signer } = freshGuard()
    at(HOUR_0)
    await guard.spend(signer, 'early', HOUR_0 + HOUR - 1)
    await guard.spend(signer, 'late', HOUR_0 + HOUR)
    at(HOUR_0 + HOUR - 1)
    await guard.spend(signer, 'a', HOUR_0 + HOUR)
    expect(await hoursOf(guard, HOUR_0)).toEqual([0, 1])
    at(HOUR_0 + HOUR)
    expect(await guard.spend(signer, 'early', HOUR_0 + HOUR - 1)).toBe('expired')
    await guard.spend(signer, 'b', HOUR_0 + HOUR + MINUTE)
    expect(await hoursOf(guard, HOUR_0)).toEqual([1])
    expect(await guard.spend(signer, 'a', HOUR_0 + HOUR + MINUTE)).toBe('replay')
  })

  it('are found after an eviction', async () => {
    const { guard, signer } = freshGuard()
    at(HOUR_0)
    const spent = [10, 70, 120].map((minutes) => HOUR_0 + minutes * MINUTE)
    for (const end of spent) await guard.spend(signer, `n${end}`, end)
    await evictDurableObject(guard)
    for (const end of spent) expect(await guard.spend(signer, `n${end}`, end + 1)).toBe('replay')
  })

  it('are made again after the transaction that made them was undone', async () => {
    const { guard, signer } = freshGuard()
    at(HOUR_0)
    await guard.spend(signer, 'n', HOUR_0 + MINUTE)
    await runInDurableObject(guard, ({ stored }) => {
      const nonces = new NonceStore(stored)
      const next = () => nonces.spend(signer, 'm', HOUR_0 + HOUR, Date.now())
      const fails = () =>
        stored.transact(() => {
          at(HOUR_0 + HOUR - 1)
          expect(next()).toBe('spent')
          at(HOUR_0 + HOUR)
          nonces.dropEnded(Date.now())
          throw new Error('lost')
        })
      expect(fails).toThrow('lost')
      at(HOUR_0 + HOUR - 1)
      expect(nonces.spend(signer, 'n', HOUR_0 + HOUR, Date.now())).toBe('replay')
      expect([next(), next()]).toEqual(['spent', 'replay'])
    })
  })
})

describe('a clock that steps', () => {
  const NOW = endOf(Date.now() + 86_400_000) + 30 * MINUTE

  it('back lets nothing through twice, near or far', async () => {
    for (const step of [1, MINUTE, 90 * MINUTE, 10 * HOUR]) {
      const { guard, signer } = freshGuard()
      at(NOW)
      expect(await guard.spend(signer, 'n', NOW + MINUTE)).toBe('spent')
      at(NOW - step)
      expect(await guard.spend(signer, 'n', NOW + MINUTE)).toBe('replay')
      expect(await guard.spend(signer, 'n', NOW + MINUTE - step)).toBe('replay')
      expect(await guard.spend(signer, 'm', NOW + MINUTE - step)).toBe('spent')
      at(NOW)
      expect(await guard.spend(signer, 'n', NOW + MINUTE)).toBe('replay')
    }
  })

  it('ahead and back refuses what was dropped in between, after an eviction too', async () => {
    const { guard, signer } = freshGuard()
    at(NOW)
    await guard.spend(signer, 'n', NOW + 10 * MINUTE)
    await guard.spend(signer, 'm', NOW + 50 * MINUTE)
    at(NOW + 3 * HOUR)
    expect(await guard.spend(signer, 'ahead', NOW + 3 * HOUR + MINUTE)).toBe('spent')
    expect(await hoursOf(guard, NOW)).toEqual([3])
    at(NOW)
    await evictDurableObject(guard)
    expect(await guard.spend(signer, 'n', NOW + 10 * MINUTE)).toBe('expired')
    expect(await guard.spend(signer, 'm', NOW + 50 * MINUTE)).toBe('expired')
    // Refused until the clock is there again, instead of taken for new.
    expect(await guard.spend(signer, 'other', NOW + MINUTE)).toBe('expired')
    expect(await guard.spend(signer, 'ahead', NOW + 3 * HOUR + MINUTE)).toBe('replay')
  })

  it('ahead while the alarm runs, and back, refuses the same', async () => {
    const { guard, signer } = freshGuard()
    at(NOW)
    await guard.spend(signer, 'n', NOW + MINUTE)
    at(endOf(NOW) + GRACE - 1)
    await runDurableObjectAlarm(guard)
    expect(await hoursOf(guard, NOW)).toEqual([])
    at(NOW)
    expect(await guard.spend(signer, 'n', NOW + MINUTE)).toBe('expired')
  })
})

describe('rows', () => {
  /** Rows that the work writes. */
  const written = (guard: Guard, work: (instance: NonceGuard) => unknown) =>
    runInDurableObject(guard, async (instance) => {
      const { sql } = instance.stored
      const exec = sql.exec.bind(sql)
      let rows = 0
      const count = vi.spyOn(sql, 'exec').mockImplementation(((...query: Parameters<typeof exec>) => {
        const cursor = exec(...query)
        rows += cursor.rowsWritten
        return cursor
      }) as typeof exec)
      await work(instance)
      count.mockRestore()
      return rows
    })

  it('are six for the first nonce of a guard', async () => {
    const { guard, signer } = freshGuard()
    expect(await written(guard, (instance) => instance.spend(signer, 'n', soon()))).toBe(6)
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
  })

  it('are one for a nonce, and two for a table', async () => {
    const { guard, signer } = freshGuard()
    const now = endOf(Date.now())
    const spend = (nonce: string, keepUntil: number, time = now) =>
      written(guard, ({ stored }) => new NonceStore(stored).spend(signer, nonce, keepUntil, time))
    await guard.spend(signer, 'other', endOf(now) + HOUR - 1)
    expect(await spend('a', now + 1)).toBe(3)
    expect(await spend('b', now + 2)).toBe(1)
    expect(await spend('b', now + 2)).toBe(0)
    // What is dropped costs one, for all its nonces: the time until which they are forgotten.
    expect(await spend('c', endOf(now) + 1, endOf(now))).toBe(1 + 1)
  })
})

describe('the alarm', () => {
  it('is set to an hour after the last hour and not moved by later nonces', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
    for (const later of [1, 10 * MINUTE, 70 * MINUTE]) await guard.spend(signer, `b${later}`, first + later)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
  })

  it('is not set again after eviction', async () => {
    const { guard, signer } = freshGuard()
    const first = soon()
    await guard.spend(signer, 'a', first)
    await evictDurableObject(guard)
    await guard.spend(signer, 'b', first + 70 * MINUTE)
    expect(await alarmOf(guard)).toBe(endOf(first) + GRACE)
  })

  it('drops the hours that are over, keeps the rest and schedules the next alarm', async () => {
    const { guard, signer } = freshGuard()
    const now = endOf(Date.now())
    at(now)
    const late = now + 3 * HOUR + MINUTE
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'edge', now + 2 * HOUR - 1)
    at(now + 2 * HOUR)
    await guard.spend(signer, 'late', late)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await hoursOf(guard, now)).toEqual([3])
    expect(await guard.spend(signer, 'late', late)).toBe('replay')
    expect(await alarmOf(guard)).toBe(endOf(late) + GRACE)
  })

  it('drops nothing if it fires early or twice', async () => {
    const { guard, signer } = freshGuard()
    const keepUntil = soon()
    await guard.spend(signer, 'n', keepUntil)
    for (let i = 0; i < 2; i++) {
      expect(await runDurableObjectAlarm(guard)).toBe(true)
      expect(await guard.spend(signer, 'n', keepUntil)).toBe('replay')
      expect(await alarmOf(guard)).toBe(endOf(keepUntil) + GRACE)
    }
  })

  it('works after an eviction', async () => {
    const { guard, signer } = freshGuard()
    const now = endOf(Date.now())
    at(now)
    await guard.spend(signer, 'early', now + MINUTE)
    await guard.spend(signer, 'late', now + 2 * HOUR)
    await evictDurableObject(guard)
    at(now + HOUR)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await hoursOf(guard, now)).toEqual([2])
  })

  it('empties the storage when nothing is left, and the guard keeps working', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    at(endOf(now + MINUTE) + GRACE)
    expect(await runDurableObjectAlarm(guard)).toBe(true)
    expect(await tablesOf(guard)).toEqual([])
    expect(await alarmOf(guard)).toBeNull()
    expect(await runDurableObjectAlarm(guard)).toBe(false)
    const keepUntil = soon()
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('spent')
    expect(await guard.spend(signer, 'm', keepUntil)).toBe('replay')
    expect(await alarmOf(guard)).toBe(endOf(keepUntil) + GRACE)
  })

  it('leaves a guard that still lets exactly one of twenty callers win', async () => {
    const { guard, signer } = freshGuard()
    const now = Date.now()
    await guard.spend(signer, 'n', now + MINUTE)
    at(endOf(now + MINUTE) + GRACE)
    await runDurableObjectAlarm(guard)
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.spend(signer, 'm', keepUntil)))
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1)
  })
})

describe('NonceGuardClient', () => {
  const verified = (userId: string, nonce: string) => ({
    userId,
    keyDid: `did:svc:${'PDw8'.repeat(8)}`,
    publicKeyB64u: 'x',
    signer: userId,
    device: null,
    requiredCapability: 'root' as const,
    nonce,
    keepUntil: soon(),
  })

  it('spends at the guard of the signing key', async () => {
    const { guard, signer } = freshGuard()
    const client = new NonceGuardClient(guards)
    expect(await client.spend(verified(signer, 'n'))).toBe('spent')
    expect(await client.spend(verified(signer, 'n'))).toBe('replay')
    expect(await client.spend(verified(freshGuard().signer, 'n'))).toBe('spent')
    expect(await guard.spend(signer, 'n', soon())).toBe('replay')
  })

  it('reports an unreachable guard as unavailable, never a nonce as spent', async () => {
    const broken = {
      getByName: () => ({ spend: () => Promise.reject(new Error('Network connection lost.')) }),
    } as unknown as DurableObjectNamespace<NonceGuard>
    expect(await new NonceGuardClient(broken).spend(verified(freshGuard().signer, 'n'))).toBe('unavailable')
  })
})
