import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NonceStore } from '../src/worker/nonce-store.ts'
import type { NonceObject } from './main.ts'
import { at, endOf, freshObject, HOUR, hoursOf, MINUTE, type Nonces, soon, tablesOf } from './nonces.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('hours', () => {
  /** The begin of an hour, a day ahead of the clock of alarms. */
  const HOUR_0 = endOf(Date.now() + 86_400_000)

  it('have a table each, made by their first nonce', async () => {
    const { nonces, signer } = freshObject()
    at(HOUR_0)
    for (const [i, ahead] of [5, 59, 61, 70].entries()) await nonces.spend(signer, `n${i}`, HOUR_0 + ahead * MINUTE)
    expect(await hoursOf(nonces, HOUR_0)).toEqual([0, 1])
    expect(await tablesOf(nonces)).toHaveLength(3)
  })

  it('are at most three at a time, however long and however late assertions are sent', async () => {
    const { nonces, signer } = freshObject()
    // The longest that a verifier accepts: an hour, signed at the edge of the skew, and the skew.
    const longest = 70 * MINUTE
    for (let minute = 0; minute < 5 * 60; minute += 7) {
      at(HOUR_0 + minute * MINUTE)
      for (const kept of [1, MINUTE, HOUR, longest])
        expect(await nonces.spend(signer, `${minute} ${kept}`, Date.now() + kept)).toBe('spent')
      const hours = await hoursOf(nonces, Date.now())
      expect(hours.length).toBeLessThanOrEqual(3)
      expect(hours.every((hour) => hour >= 0 && hour <= 2)).toBe(true)
    }
  })

  it('do not let a nonce through twice at their border', async () => {
    const { nonces, signer } = freshObject()
    const border = HOUR_0 + HOUR
    at(border - MINUTE)
    const ends = [border - 1, border, border + 1]
    for (const first of ends) {
      expect(await nonces.spend(signer, `n${first}`, first)).toBe('spent')
      for (const again of ends) expect(await nonces.spend(signer, `n${first}`, again)).toBe('replay')
    }
    for (const time of [border - 2, border - 1, border, border + 1]) {
      at(time)
      for (const first of ends) {
        expect(await nonces.spend(signer, `n${first}`, first)).toBe(first > time ? 'replay' : 'expired')
      }
    }
  })

  it('let one of twenty callers win on either side of their border', async () => {
    const { nonces, signer } = freshObject()
    at(HOUR_0 + 59 * MINUTE)
    const ends = Array.from({ length: 20 }, (_, i) => HOUR_0 + HOUR + (i % 2 ? 1 : -1) * (i + 1))
    const outcomes = await Promise.all(ends.map((end) => nonces.spend(signer, 'n', end)))
    expect(outcomes.toSorted()).toEqual([...Array(19).fill('replay'), 'spent'])
  })

  it('are dropped whole by the next spend, which forgets nothing that could be replayed', async () => {
    const { nonces, signer } = freshObject()
    at(HOUR_0)
    await nonces.spend(signer, 'early', HOUR_0 + HOUR - 1)
    await nonces.spend(signer, 'late', HOUR_0 + HOUR)
    at(HOUR_0 + HOUR - 1)
    await nonces.spend(signer, 'a', HOUR_0 + HOUR)
    expect(await hoursOf(nonces, HOUR_0)).toEqual([0, 1])
    at(HOUR_0 + HOUR)
    expect(await nonces.spend(signer, 'early', HOUR_0 + HOUR - 1)).toBe('expired')
    await nonces.spend(signer, 'b', HOUR_0 + HOUR + MINUTE)
    expect(await hoursOf(nonces, HOUR_0)).toEqual([1])
    expect(await nonces.spend(signer, 'a', HOUR_0 + HOUR + MINUTE)).toBe('replay')
  })

  it('are found after an eviction', async () => {
    const { nonces, signer } = freshObject()
    at(HOUR_0)
    const spent = [10, 70, 120].map((minutes) => HOUR_0 + minutes * MINUTE)
    for (const end of spent) await nonces.spend(signer, `n${end}`, end)
    await evictDurableObject(nonces)
    for (const end of spent) expect(await nonces.spend(signer, `n${end}`, end + 1)).toBe('replay')
  })

  it('are made again after the transaction that made them was undone', async () => {
    const { nonces, signer } = freshObject()
    at(HOUR_0)
    await nonces.spend(signer, 'n', HOUR_0 + MINUTE)
    await runInDurableObject(nonces, ({ stored }) => {
      const store = new NonceStore(stored)
      const next = () => store.spend(signer, 'm', HOUR_0 + HOUR, Date.now())
      const fails = () =>
        stored.transact(() => {
          at(HOUR_0 + HOUR - 1)
          expect(next()).toBe('spent')
          at(HOUR_0 + HOUR)
          store.dropEnded(Date.now())
          throw new Error('lost')
        })
      expect(fails).toThrow('lost')
      at(HOUR_0 + HOUR - 1)
      expect(store.spend(signer, 'n', HOUR_0 + HOUR, Date.now())).toBe('replay')
      expect([next(), next()]).toEqual(['spent', 'replay'])
    })
  })
})

describe('a clock that steps', () => {
  const NOW = endOf(Date.now() + 86_400_000) + 30 * MINUTE

  it('back lets nothing through twice, near or far', async () => {
    for (const step of [1, MINUTE, 90 * MINUTE, 10 * HOUR]) {
      const { nonces, signer } = freshObject()
      at(NOW)
      expect(await nonces.spend(signer, 'n', NOW + MINUTE)).toBe('spent')
      at(NOW - step)
      expect(await nonces.spend(signer, 'n', NOW + MINUTE)).toBe('replay')
      expect(await nonces.spend(signer, 'n', NOW + MINUTE - step)).toBe('replay')
      expect(await nonces.spend(signer, 'm', NOW + MINUTE - step)).toBe('spent')
      at(NOW)
      expect(await nonces.spend(signer, 'n', NOW + MINUTE)).toBe('replay')
    }
  })

  it('ahead and back refuses what was dropped in between, after an eviction too', async () => {
    const { nonces, signer } = freshObject()
    at(NOW)
    await nonces.spend(signer, 'n', NOW + 10 * MINUTE)
    await nonces.spend(signer, 'm', NOW + 50 * MINUTE)
    at(NOW + 3 * HOUR)
    expect(await nonces.spend(signer, 'ahead', NOW + 3 * HOUR + MINUTE)).toBe('spent')
    expect(await hoursOf(nonces, NOW)).toEqual([3])
    at(NOW)
    await evictDurableObject(nonces)
    expect(await nonces.spend(signer, 'n', NOW + 10 * MINUTE)).toBe('expired')
    expect(await nonces.spend(signer, 'm', NOW + 50 * MINUTE)).toBe('expired')
    // Refused until the clock is there again, instead of taken for new.
    expect(await nonces.spend(signer, 'other', NOW + MINUTE)).toBe('expired')
    expect(await nonces.spend(signer, 'ahead', NOW + 3 * HOUR + MINUTE)).toBe('replay')
  })

  it('ahead while the hours that are over are dropped, and back, refuses the same', async () => {
    const { nonces, signer } = freshObject()
    at(NOW)
    await nonces.spend(signer, 'n', NOW + MINUTE)
    at(endOf(NOW))
    await nonces.drop()
    expect(await hoursOf(nonces, NOW)).toEqual([])
    at(NOW)
    expect(await nonces.spend(signer, 'n', NOW + MINUTE)).toBe('expired')
  })
})

describe('rows', () => {
  /** Rows that the work writes. */
  const written = (nonces: Nonces, work: (instance: NonceObject) => unknown) =>
    runInDurableObject(nonces, async (instance, { storage: { sql } }) => {
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

  it('are six for the first nonce of an object that keeps nothing else', async () => {
    const { nonces, signer } = freshObject()
    expect(await written(nonces, (instance) => instance.spend(signer, 'n', soon()))).toBe(6)
    expect(await nonces.spend(signer, 'n', soon())).toBe('replay')
  })

  it('are one for a nonce, and two for a table', async () => {
    const { nonces, signer } = freshObject()
    const now = endOf(Date.now())
    const spend = (nonce: string, keepUntil: number, time = now) =>
      written(nonces, ({ stored }) => new NonceStore(stored).spend(signer, nonce, keepUntil, time))
    await nonces.spend(signer, 'other', endOf(now) + HOUR - 1)
    expect(await spend('a', now + 1)).toBe(3)
    expect(await spend('b', now + 2)).toBe(1)
    expect(await spend('b', now + 2)).toBe(0)
    // What is dropped costs one, for all its nonces: the time until which they are forgotten.
    expect(await spend('c', endOf(now) + 1, endOf(now))).toBe(1 + 1)
  })
})

it('of more hours than one statement may name are all found', async () => {
  const { nonces, signer } = freshObject()
  const ahead = Array.from({ length: 12 }, (_, i) => Date.now() + (i + 1) * HOUR)
  for (const [i, keepUntil] of ahead.entries()) expect(await nonces.spend(signer, `n${i}`, keepUntil)).toBe('spent')
  for (const [i, keepUntil] of ahead.entries()) expect(await nonces.spend(signer, `n${i}`, keepUntil)).toBe('replay')
  expect(await hoursOf(nonces, Date.now())).toHaveLength(12)
})
