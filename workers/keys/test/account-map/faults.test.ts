import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { LogHead } from '@svc/log'
import { mapEntryOf, mapLeafId } from '@svc/protocol/keys/account-map'
import { updateLine } from '@svc/protocol/keys/account-updates'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { closeEntry, openEntry } from '@svc/protocol/merkle/entries'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { MapBucketObject } from '../../src/account-map/bucket-object.ts'
import { updatesOf } from '../../src/account-map/entries-of-buckets.ts'
import type { AccountMapObject } from '../../src/account-map/object.ts'
import type { MapBuckets, MapLogs } from '../../src/account-map/ports.ts'
import { MAP_MS, MapPublisher } from '../../src/account-map/publisher.ts'
import { leavesOf } from '../transparency/log.fixture.ts'
import { ALL_BUCKETS, rootOfEntries } from './map.fixture.ts'

const FIRST = 'test/transparency/2027a'
const SECOND = 'test/transparency/2027b'

/** Logs that take leaves once, in memory. */
function logsInMemory() {
  const lines = new Map<string, string[]>([[FIRST, [openEntry(FIRST, null)]]])
  let open = FIRST
  const of = (log: string) => lines.get(log) ?? []
  const headOf = (log: string) =>
    ({ size: of(log).length, ending: log === open ? null : { next: open } }) as unknown as LogHead
  const logs: MapLogs = {
    open: async () => ({ log: open, head: headOf(open) }),
    head: async (log) => headOf(log),
    entries: async (log, _, from, to) => of(log).slice(from, to),
    submit: async (log, { entry }) => {
      const known = of(log).indexOf(entry)
      return known === -1 ? of(log).push(entry) - 1 : known
    },
    acknowledge: async () => {},
  }
  const roll = (size: number, root: string) => {
    open = SECOND
    lines.set(SECOND, [openEntry(SECOND, { log: FIRST, size, root })])
  }
  return { logs, of, roll, add: (log: string, ...more: readonly string[]) => void of(log).push(...more) }
}

/** Fails at its nth call, before the work or after it. */
class Faults {
  at = Number.POSITIVE_INFINITY
  isAfter = false
  calls = 0

  wrap<T extends object>(of: T): T {
    const wrapped = Object.entries(of).map(([name, work]) => {
      if (name === 'open') return [name, work]
      return [
        name,
        async (...args: readonly unknown[]) => {
          const isFault = ++this.calls === this.at
          if (isFault && !this.isAfter) throw new Error('killed')
          const done: unknown = await (work as (...args: readonly unknown[]) => unknown)(...args)
          if (isFault) throw new Error('killed')
          return done
        },
      ]
    })
    return Object.fromEntries(wrapped) as T
  }
}

function bucketsOf(name: string): MapBuckets {
  const at = (bucket: number) => env.MAP_BUCKETS.getByName(`${name}/${bucket}`)
  return {
    count: async (bucket, call) => at(bucket).count(call),
    reset: async (bucket) => at(bucket).reset(),
    refill: async (bucket, { from, updates, until }) => at(bucket).refill(from, updates, until),
  }
}

/** A publisher as it is after a start, over what is stored. */
async function started<T>(
  name: string,
  logs: MapLogs,
  faults: Faults,
  work: (publisher: MapPublisher) => Promise<T>,
): Promise<T> {
  return runInDurableObject(env.ACCOUNT_MAP.getByName(name), (object: AccountMapObject) => {
    const parts = { stored: object.stored, logs: faults.wrap(logs), buckets: faults.wrap(bucketsOf(name)) }
    return work(new MapPublisher({ ...parts, now: () => 1_790_000_000_000 }))
  })
}

const lines = (from: number, count: number) => leavesOf(from, count).map(({ entry }) => entry)
const mapsIn = (entries: readonly string[]) => entries.flatMap((line) => mapEntryOf(line) ?? [])

describe.each([false, true])('a publisher that dies at any call (after the call: %s)', (isAfter) => {
  it('makes each map once, and the one of the entries', async () => {
    const name = `faults-${isAfter}`
    const { logs, of, add } = logsInMemory()
    const faults = new Faults()
    faults.isAfter = isAfter
    const [first] = leavesOf(0, 1)
    add(FIRST, ...lines(0, 6))
    for (let at = 1, isDone = false; !isDone || at < 4; at++) {
      Object.assign(faults, { at, calls: 0 })
      isDone = await started(name, logs, faults, async (publisher) => {
        await publisher.turn()
        return true
      }).catch(() => false)
      // More comes in meanwhile, of an account that is there too.
      if (at === 5) add(FIRST, updateLine({ ...first!.update, seq: 2 }), ...lines(100, 3))
    }
    faults.at = Number.POSITIVE_INFINITY
    await started(name, logs, faults, (publisher) => publisher.turn())
    const maps = mapsIn(of(FIRST))
    expect(maps.map(({ epoch }) => epoch)).toEqual(maps.map((_, i) => i + 1))
    for (const { size, root } of maps) expect(root).toBe(rootOfEntries(of(FIRST).slice(0, size)))
    expect(of(FIRST).findLastIndex((line) => line.includes('"update"'))).toBeLessThan(maps.at(-1)!.size)
  }, 60_000)
})

/** A request can make 1,000; see the page of the platform’s limits. */
const MOST_CALLS = 800

describe('a map of more entries than a turn can read', () => {
  const name = 'long'
  const { logs, of, add } = logsInMemory()
  let calls = 0
  const counted: MapLogs = {
    ...logs,
    head: (log) => {
      calls += 1
      return logs.head(log)
    },
    entries: (log, head, from, to) => {
      calls += Math.ceil(to / TILE_WIDTH) - Math.floor(from / TILE_WIDTH)
      return logs.entries(log, head, from, to)
    },
  }
  const wipe = (bucket: number) =>
    runInDurableObject(env.MAP_BUCKETS.getByName(`${name}/${bucket}`), (object: MapBucketObject) =>
      object.stored.deleteAll(),
    )

  /** Every turn is of a publisher that has just started. Returns how many it took. */
  async function finished(object = name): Promise<number> {
    for (let turns = 1; turns < 100; turns++) {
      calls = 0
      const faults = new Faults()
      const state = await started(object, counted, faults, (publisher) => publisher.turn())
      // Those of the buckets are among the faults' calls, and so is each reading of the log.
      expect(faults.calls + calls).toBeLessThanOrEqual(MOST_CALLS)
      if (state === 'done') return turns
    }
    throw new Error('it does not end')
  }
  /** Those that cannot show one of their accounts as it is in the newest map. */
  async function lostBuckets(): Promise<number[]> {
    const heads = await started(name, logs, new Faults(), async (publisher) => publisher.signed()?.heads)
    const accounts = new Map(updatesOf(of(FIRST)).map(({ label }) => [bucketOf(label), label]))
    const found = ALL_BUCKETS.map(async (bucket) => {
      const label = accounts.get(bucket) ?? ''
      const path = await env.MAP_BUCKETS.getByName(`${name}/${bucket}`).path(label, heads?.[bucket] ?? null)
      return path.ok && path.value.terminal?.label === label ? [] : [bucket]
    })
    return (await Promise.all(found)).flat()
  }
  const newest = () => mapsIn(of(FIRST)).at(-1)

  it('is counted over many turns, each within what a request may call', async () => {
    add(FIRST, ...lines(200_000, 10_000))
    expect(await finished()).toBeGreaterThan(1)
    expect(newest()).toMatchObject({ epoch: 1, root: rootOfEntries(of(FIRST)) })
  }, 120_000)

  it('gets all buckets back in one reading, whether readers or the next map miss them', async () => {
    await Promise.all(ALL_BUCKETS.map(wipe))
    // Readers name them one after another, while the first are being counted.
    for (const bucket of [3, 7, 200]) {
      await started(name, logs, new Faults(), async (publisher) => publisher.askRepair(bucket))
      await started(name, logs, new Faults(), (publisher) => publisher.turn())
    }
    add(FIRST, ...lines(220_000, 600))
    const expected = rootOfEntries(of(FIRST))
    await finished()
    expect(newest()).toMatchObject({ epoch: 2, root: expected })
    // Buckets that the map had no updates for are missed by readers only.
    const missing = await lostBuckets()
    await started(name, logs, new Faults(), async (publisher) => {
      for (const bucket of missing) publisher.askRepair(bucket)
    })
    await finished()
    expect(missing.length).toBeGreaterThan(0)
    expect(await lostBuckets()).toEqual([])
  }, 240_000)

  it('is found by an object that was lost, without a second map of any number', async () => {
    const before = mapsIn(of(FIRST)).length
    await runInDurableObject(env.ACCOUNT_MAP.getByName(name), (object: AccountMapObject) => object.stored.deleteAll())
    await finished()
    expect(mapsIn(of(FIRST))).toHaveLength(before)
    const found = await started(name, logs, new Faults(), async (publisher) => publisher.signed())
    expect(found).toMatchObject({ epoch: before, counted: { log: FIRST, size: newest()!.size } })
  }, 240_000)
})

describe('a log that was closed', () => {
  it('is counted to its end, and the next log goes on from there', async () => {
    const { logs, of, add, roll } = logsInMemory()
    const faults = new Faults()
    const turn = () => started('rolled', logs, faults, (publisher) => publisher.turn())
    add(FIRST, ...lines(0, 5))
    await turn()
    add(FIRST, ...lines(5, 4), closeEntry(SECOND))
    const { length: size } = of(FIRST)
    roll(size, 'a7'.repeat(48))
    await turn()
    // Nothing more goes into the closed log.
    expect(of(FIRST)).toHaveLength(size)
    expect(mapsIn(of(SECOND))).toMatchObject([{ epoch: 2, size: 1, root: rootOfEntries(of(FIRST)) }])
    const [account] = leavesOf(3, 1)
    add(SECOND, updateLine({ ...account!.update, seq: 2 }), ...lines(50, 2))
    await turn()
    const all = [...of(FIRST), ...of(SECOND)]
    expect(mapsIn(of(SECOND)).at(-1)).toMatchObject({ epoch: 3, root: rootOfEntries(all) })
    // An object that knows nothing comes to the same map.
    const found = await started('rolled-again', logs, faults, async (publisher) => {
      await publisher.turn()
      return publisher.signed()
    })
    expect(found).toMatchObject({ epoch: 3, counted: { log: SECOND } })
    expect(mapsIn(of(SECOND))).toHaveLength(2)
    expect(mapLeafId(3)).toBe('map-3')
  }, 60_000)

  it('that has the map, as its answer was lost, gets no second map of that number from the next log', async () => {
    const { logs, of, add, roll } = logsInMemory()
    add(FIRST, ...lines(0, 5))
    let isLost = true
    const submit: MapLogs['submit'] = async (log, leaf) => {
      const index = await logs.submit(log, leaf)
      if (isLost) throw new Error('the answer was lost')
      return index
    }
    await started('lost', { ...logs, submit }, new Faults(), async (publisher) => {
      await expect(publisher.turn()).rejects.toThrow('the answer was lost')
      isLost = false
      add(FIRST, ...lines(5, 1), closeEntry(SECOND))
      roll(of(FIRST).length, 'a7'.repeat(48))
      await publisher.turn()
      await publisher.turn()
    })
    expect(mapsIn(of(FIRST))).toMatchObject([{ epoch: 1 }])
    expect(mapsIn(of(SECOND))).toMatchObject([{ epoch: 2, root: rootOfEntries(of(FIRST)) }])
  }, 60_000)
})

describe('a clock that was a year ahead', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('delays no map once it is right again', async () => {
    const now = Date.now()
    const due = await runInDurableObject(env.ACCOUNT_MAP.getByName('ahead'), (object: AccountMapObject) => {
      vi.useFakeTimers({ toFake: ['Date'], now: now + 365 * 86_400_000 })
      object.wake()
      object.stored.sql.exec(
        `INSERT INTO maps (epoch, at, log, size, step, heads, to_log, to_size, idx) VALUES (1, ?1, ?2, 1, 0, '[]', ?2, 1, 1)`,
        Date.now(),
        FIRST,
      )
      vi.setSystemTime(now)
      return object.wake()
    })
    expect(due).toBeLessThanOrEqual(now + MAP_MS)
  })
})
