import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, RecordFiles } from '@svc/objects/records'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { REPLACEMENT_TABLE, ReplacementTexts } from '../src/replacement.ts'
import { tableNames } from '../src/sql.ts'
import { LIBRARY_PREFIX, LIBRARY_SEED, type LibraryObject } from './library.ts'

const { LIBRARIES, RECORDS, ERASURE_KEYS } = env as unknown as {
  readonly LIBRARIES: DurableObjectNamespace<LibraryObject>
  readonly RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
}
const files = new RecordFiles({
  bucket: RECORDS,
  seeds: new Map([[1, LIBRARY_SEED]]),
  prefix: LIBRARY_PREFIX,
  erasureKeys: ERASURE_KEYS,
})
const REPLACE = { replaces: true, lostAt: 0 } as const

type Library = ReturnType<typeof LIBRARIES.getByName>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function record(library: Library): Promise<void> {
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  await runInDurableObject(library, ({ recorder }) => recorder.run(Date.now()))
}

/** Two records, and a third book that none has. */
async function recorded(name: string = crypto.randomUUID()): Promise<Library> {
  const library = LIBRARIES.getByName(name)
  await library.put('a', 1, 'one')
  await record(library)
  await library.put('a', 2, 'two')
  await record(library)
  await library.put('a', 3, 'three')
  return library
}

const titles = (library: Library) =>
  runInDurableObject(library, ({ stored: { sql } }) =>
    sql
      .exec<{ title: string }>('SELECT title FROM books ORDER BY place')
      .toArray()
      .map(({ title }) => title),
  )
const tables = (library: Library) => runInDurableObject(library, ({ stored }) => tableNames(stored.sql, '*'))
const replace = (library: Library) =>
  runInDurableObject(library, ({ recorder }) => recorder.rebuild(REPLACE, Date.now()))

/** Calls back while records are read, after the first of them, in the object. */
function whileReading(during: (object: LibraryObject) => Promise<void>, library: Library) {
  return runInDurableObject(library, async (object) => {
    const read = files.read.bind(files)
    let reads = 0
    vi.spyOn(RecordFiles.prototype, 'read').mockImplementation(async (...args) => {
      reads += 1
      if (reads === 2) await during(object)
      return read(...args)
    })
    return object.recorder.rebuild(REPLACE, Date.now())
  })
}

describe('an object that is being replaced', () => {
  it('answers as before, and refuses a write that would be discarded', async () => {
    const library = await recorded()
    let isAsked = false
    const outcome = await whileReading(async (object) => {
      isAsked = true
      expect(() => object.put('a', 4, 'four')).toThrow('an object that is being rebuilt is unavailable')
      expect(() => object.note('four')).toThrow('an object that is being rebuilt is unavailable')
      await expect(object.stored.deleteAll()).rejects.toThrow('an object that is being rebuilt is unavailable')
      expect(object.stored.sql.exec('SELECT title FROM books').toArray()).toHaveLength(3)
    }, library)
    expect([outcome, isAsked]).toEqual(['rebuilt', true])
    expect(await titles(library)).toEqual(['one', 'two'])
    expect(await tables(library)).not.toContain(REPLACEMENT_TABLE)
    await library.put('a', 4, 'four')
    await record(library)
    expect(await titles(library)).toEqual(['one', 'two', 'four'])
  })

  it('records nothing meanwhile, and what is due afterwards', async () => {
    const name = crypto.randomUUID()
    const library = await recorded(name)
    vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
    const outcome = whileReading(async (object) => {
      await object.recorder.run(Date.now())
      throw new Error('no bucket')
    }, library)
    await expect(outcome).rejects.toThrow('no bucket')
    vi.restoreAllMocks()
    expect(await files.sequences(name)).toEqual([1, 2])
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
    await record(library)
    await runInDurableObject(library, ({ stored }) => stored.deleteAll())
    await evictDurableObject(library)
    expect(await replace(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
  })

  it('keeps an alarm that went off meanwhile, if it stays as it was', async () => {
    const library = await recorded()
    const at = await runInDurableObject(library, (_, { storage }) => storage.getAlarm())
    expect(at).not.toBeNull()
    const outcome = whileReading(async (object) => {
      object.stored.alarm.wentOff()
      throw new Error('no bucket')
    }, library)
    await expect(outcome).rejects.toThrow('no bucket')
    expect(await runInDurableObject(library, ({ stored }) => stored.alarm.at)).toBe(at)
  })

  it('is as it was if its records cannot be applied', async () => {
    const library = await recorded()
    const read = files.read.bind(files)
    vi.spyOn(RecordFiles.prototype, 'read').mockImplementation(async (...args) => {
      const found = await read(...args)
      const foreign = [{ table: 'of another class', from: null, columns: ['a'], rows: [['b']] }]
      return found && { ...found, record: { ...found.record, tables: foreign } }
    })
    await expect(replace(library)).rejects.toThrow('no such table')
    vi.restoreAllMocks()
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
    expect(await tables(library)).not.toContain(REPLACEMENT_TABLE)
    await evictDurableObject(library)
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
  })

  it('is as it was if its newest record is gone, which older ones cannot replace', async () => {
    const name = crypto.randomUUID()
    const library = await recorded(name)
    await record(library)
    const newest = (await files.sequences(name)).at(-1)
    await files.delete(name, [newest ?? 0])
    await expect(replace(library)).rejects.toThrow('Record 3 is missing')
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
  })

  it('is as it was after a crash that left what was gathered', async () => {
    const library = await recorded()
    const before = await tables(library)
    await runInDurableObject(library, (_, { storage }) => {
      const texts = new ReplacementTexts(storage.sql)
      texts.begin()
      texts.add('{}')
    })
    await evictDurableObject(library)
    expect(await tables(library)).toEqual(before)
    expect(await titles(library)).toEqual(['one', 'two', 'three'])
  })

  it('has no table after a crash if it did not exist', async () => {
    const library = LIBRARIES.getByName(crypto.randomUUID())
    await runInDurableObject(library, (_, { storage }) => new ReplacementTexts(storage.sql).begin())
    await evictDurableObject(library)
    expect(await tables(library)).toEqual([])
  })
})

it('an object that was lost stays empty if a record is missing, and comes into being by no other write meanwhile', async () => {
  const name = crypto.randomUUID()
  const library = await recorded(name)
  await runInDurableObject(library, ({ stored }) => stored.deleteAll())
  await evictDurableObject(library)
  const outcome = whileReading(async (object) => {
    expect(() => object.put('b', 1, 'of a stranger')).toThrow('an object that is being rebuilt is unavailable')
    await files.delete(name, [1])
  }, library)
  await expect(outcome).rejects.toThrow('Record 1 is missing')
  expect(await tables(library)).toEqual([])
})

it('texts come back in their order, however long they are', async () => {
  const library = LIBRARIES.getByName(crypto.randomUUID())
  // Characters of two, three and four bytes lie across the end of a part.
  const long = ['ü', '漢', '🦆'].map((letter) => `${'x'.repeat(1024 * 1024 - 1)}${letter}${'y'.repeat(1024 * 1024)}`)
  const texts = ['', 'short', ...long, 'last']
  const found = await runInDurableObject(library, (_, { storage }) => {
    const replacement = new ReplacementTexts(storage.sql)
    replacement.begin()
    for (const text of texts) replacement.add(text)
    const all = [...replacement.all()]
    replacement.end()
    return all
  })
  expect(found.map((text) => text.length)).toEqual(texts.map((text) => text.length))
  expect(found).toEqual(texts)
})
