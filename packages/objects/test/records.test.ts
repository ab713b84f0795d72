import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, RecordConflict, RecordFiles } from '@svc/objects/records'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHANGED_KEYS_TABLE } from '../src/records/changed-keys.ts'
import { LIBRARY_PREFIX, LIBRARY_SEED, type LibraryObject } from './library.ts'

interface Bindings {
  readonly LIBRARIES: DurableObjectNamespace<LibraryObject>
  readonly RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
}
const { LIBRARIES, RECORDS, ERASURE_KEYS } = env as unknown as Bindings
const files = new RecordFiles({
  bucket: RECORDS,
  seeds: new Map([[1, LIBRARY_SEED]]),
  prefix: LIBRARY_PREFIX,
  erasureKeys: ERASURE_KEYS,
})

interface Library {
  readonly name: string
  readonly object: ReturnType<typeof LIBRARIES.getByName>
}

function fresh(): Library {
  const name = crypto.randomUUID()
  return { name, object: LIBRARIES.getByName(name) }
}

const REBUILD = { replaces: false, lostAt: 0 } as const
const stateOf = ({ object }: Library) =>
  runInDurableObject(object, ({ stored: { sql } }) =>
    ['books', 'shelves', 'notes'].map((table) => [table, sql.exec(`SELECT * FROM ${table} ORDER BY 1, 2`).toArray()]),
  )

async function record({ object }: Library): Promise<void> {
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  await runInDurableObject(object, ({ recorder }) => recorder.run(Date.now()))
}

async function lose({ object }: Library): Promise<void> {
  await runInDurableObject(object, ({ stored }) => stored.deleteAll())
  await evictDurableObject(object)
}

const rebuild = ({ object }: Library) =>
  runInDurableObject(object, ({ recorder }) => recorder.rebuild(REBUILD, Date.now()))

/** Tables and rows of the newest record. */
async function newest({ name }: Library) {
  const sequence = (await files.sequences(name)).at(-1) ?? 0
  const found = await files.read(name, sequence)
  const tables = found?.record.tables.toSorted((left, right) => (left.table < right.table ? -1 : 1))
  return tables?.map(({ table, rows, keys }) => [table, rows.length, keys?.length ?? null])
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('rows that are recorded by key', () => {
  it('are recorded if they changed, and no others', async () => {
    const library = fresh()
    for (let n = 0; n < 50; n++) await library.object.put('a', n, `title ${n}`)
    await record(library)
    expect(await newest(library)).toEqual([
      ['books', 50, 0],
      ['notes', 0, null],
      ['shelves', 1, null],
    ])
    await library.object.put('a', 7, 'another title')
    await library.object.remove('a', 8)
    await record(library)
    expect(await newest(library)).toEqual([['books', 1, 2]])
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('are recorded once however often they changed, and cost one row for each change', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'first')
    await record(library)
    const rows: number[] = []
    for (let n = 0; n < 3; n++) rows.push(await library.object.put('a', 1, `title ${n}`))
    // The row, its unique title, and the noted key.
    expect(rows).toEqual([3, 3, 3])
    await record(library)
    expect(await newest(library)).toEqual([['books', 1, 1]])
  })

  it('pass what is unique on from one row to another', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await library.object.put('a', 2, 'two')
    await record(library)
    await library.object.put('a', 1, 'free')
    await library.object.put('a', 2, 'one')
    await library.object.put('a', 1, 'two')
    await record(library)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('are not forgotten by a crash in the window', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await record(library)
    await library.object.put('a', 2, 'two')
    await evictDurableObject(library.object)
    await record(library)
    // Whole tables are recorded again, since which of them changed was in memory; rows by key are not.
    expect(await newest(library)).toEqual([
      ['books', 1, 1],
      ['shelves', 1, null],
    ])
  })

  it('leave a list of changes that is made anew now and then', async () => {
    const library = fresh()
    await library.object.put('a', 0, 'zero')
    await record(library)
    const left: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      await runInDurableObject(library.object, (object) => {
        for (let n = 0; n < 100; n++) object.put('a', n, `title ${turn} ${n}`)
      })
      await record(library)
      left.push(
        await runInDurableObject(
          library.object,
          ({ stored: { sql } }) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${CHANGED_KEYS_TABLE}`).one().n,
        ),
      )
    }
    expect(Math.max(...left)).toBeLessThan(400)
    expect(left).toEqual([101, 201, 0, 100])
    const before = await stateOf(library)
    await lose(library)
    await rebuild(library)
    expect(await stateOf(library)).toEqual(before)
  })

  it('are divided into records when they are many, while others change', async () => {
    const library = fresh()
    const long = 'x'.repeat(100_000)
    for (let n = 0; n < 50; n++) await library.object.put('a', n, `${long} ${n}`)
    vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
    await runInDurableObject(library.object, async (object) => {
      const running = object.recorder.run(Date.now())
      // Behind and before the place where the base is.
      await scheduler.wait(5)
      object.put('a', 0, 'changed')
      object.remove('a', 49)
      await running
    })
    await record(library)
    expect((await files.sequences(library.name)).length).toBeGreaterThan(2)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
    // It goes on.
    await library.object.put('b', 1, 'after')
    await record(library)
    const after = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(after)
  })

  it('are as they were before a state whose last part was never written', async () => {
    const library = fresh()
    await library.object.put('a', 0, 'before')
    await record(library)
    const before = await stateOf(library)
    // What is written next is a base, here of many parts.
    await lose(library)
    await rebuild(library)
    const long = 'x'.repeat(100_000)
    for (let n = 1; n < 50; n++) await library.object.put('a', n, `${long} ${n}`)
    const create = files.create.bind(files)
    let writes = 0
    vi.spyOn(RecordFiles.prototype, 'create').mockImplementation((part) => {
      writes += 1
      return writes === 1 ? create(part) : Promise.reject(new Error('R2 is down'))
    })
    await record(library).catch(() => {})
    expect(writes).toBeGreaterThan(1)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('are in a base if they are from before the deployment had a seed', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await runInDurableObject(library.object, ({ stored: { sql } }) => {
      for (const event of ['insert', 'update', 'delete']) sql.exec(`DROP TRIGGER unrecorded_books_${event}`)
      sql.exec(`DROP TABLE ${CHANGED_KEYS_TABLE}`)
      sql.exec("INSERT INTO books (shelf, place, title) VALUES ('a', 2, 'unseen')")
    })
    await evictDurableObject(library.object)
    await record(library)
    const before = await stateOf(library)
    await lose(library)
    await rebuild(library)
    expect(await stateOf(library)).toEqual(before)
  })
})

describe('what is erased', () => {
  const DAY_MS = 24 * 3_600_000
  const kept = async ({ name }: Library) => {
    const records = await Promise.all((await files.sequences(name)).map((sequence) => files.read(name, sequence)))
    return JSON.stringify(records)
  }

  type Stub = Library['object']
  it.each<[string, (object: Stub, secret: string) => Promise<void>, (object: LibraryObject) => void]>([
    ['a row of a table that only grows', (object, secret) => object.note(secret), (object) => object.prune()],
    [
      'a row by key',
      async (object, secret) => void (await object.put('a', 1, secret)),
      (object) => object.remove('a', 1),
    ],
  ])('leaves the records within a day, though nothing else changes: %s', async (_, write, erase) => {
    const library = fresh()
    const secret = crypto.randomUUID()
    await library.object.put('a', 0, 'zero')
    await write(library.object, secret)
    await record(library)
    await runInDurableObject(library.object, erase)
    expect(await kept(library)).toContain(secret)
    const due = await runInDurableObject(library.object, ({ recorder }) => recorder.dueAt() ?? Infinity)
    expect(due).toBeLessThanOrEqual(Date.now() + DAY_MS)
    vi.setSystemTime(Date.now() + DAY_MS)
    await runInDurableObject(library.object, ({ recorder }) => recorder.run(Date.now()))
    await record(library)
    expect(await kept(library)).not.toContain(secret)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('wakes the object for that alone', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await library.object.note('two')
    await record(library)
    await record(library)
    expect(await runInDurableObject(library.object, ({ recorder }) => recorder.dueAt())).toBeNull()
    await runInDurableObject(library.object, (object) => object.prune())
    const [due, alarm] = await runInDurableObject(library.object, async ({ recorder }, { storage }) => [
      recorder.dueAt(),
      await storage.getAlarm(),
    ])
    expect(due).toBeGreaterThan(Date.now())
    expect(alarm).toBeLessThanOrEqual(due ?? 0)
  })
})

describe('an object that ends', () => {
  it('leaves no record, and another one may follow it', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await record(library)
    expect(await library.object.end(true)).toBe(true)
    expect(await files.sequences(library.name)).toEqual([])
    expect(await rebuild(library)).toBe('not_found')
    await library.object.put('a', 2, 'two')
    await record(library)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('lives on if it got something to keep meanwhile', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await record(library)
    expect(await library.object.end(false)).toBe(false)
    await library.object.put('a', 2, 'two')
    await record(library)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })

  it('is not rebuilt after a crash that left its last record, and the next one goes on after that', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await record(library)
    const kept = vi.spyOn(RecordFiles.prototype, 'delete').mockRejectedValue(new Error('lost'))
    await expect(runInDurableObject(library.object, (object) => object.end(true))).rejects.toThrow('lost')
    kept.mockRestore()
    await lose(library)
    expect(await rebuild(library)).toBe('not_found')
    expect((await files.names(null, 100)).names).not.toContain(library.name)
    await library.object.put('a', 2, 'two')
    await record(library)
    const before = await stateOf(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await stateOf(library)).toEqual(before)
  })
})

describe('random changes, crashes and losses', () => {
  it.each([1, 2, 3, 4, 5])('leave what was recorded last, by seed %i', async (seed) => {
    const library = fresh()
    let state = seed
    const draw = (n: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * n)
    }
    await library.object.put('a', 0, 'start')
    for (let turn = 0; turn < 40; turn++) {
      const [what, n] = [draw(10), draw(12)]
      if (what < 5) await library.object.put('a', n, `${turn}`)
      else if (what < 7) await library.object.remove('a', n)
      else if (what === 7) {
        // Running, so that it can be evicted.
        await library.object.note(`before ${turn}`)
        await evictDurableObject(library.object)
      } else if (what === 8) await library.object.note(`${turn}`)
      else {
        await record(library)
        const before = await stateOf(library)
        await lose(library)
        expect(await rebuild(library)).toBe('rebuilt')
        expect(await stateOf(library)).toEqual(before)
      }
    }
  })

  it('stop at records of a later state', async () => {
    const library = fresh()
    await library.object.put('a', 1, 'one')
    await record(library)
    await lose(library)
    await library.object.put('a', 2, 'two')
    vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
    await expect(runInDurableObject(library.object, ({ recorder }) => recorder.run(Date.now()))).rejects.toBeInstanceOf(
      RecordConflict,
    )
  })
})
