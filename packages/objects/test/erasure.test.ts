import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, RecordFiles } from '@svc/objects/records'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LIBRARY_PREFIX, LIBRARY_SEEDS, type LibraryObject } from './library.ts'

const { LIBRARIES, RECORDS, ERASURE_KEYS } = env as unknown as {
  readonly LIBRARIES: DurableObjectNamespace<LibraryObject>
  readonly RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
}
const place = { bucket: RECORDS, seeds: LIBRARY_SEEDS, prefix: LIBRARY_PREFIX, erasureKeys: ERASURE_KEYS }
// Reads keys anew each time: those of an owner who was erased are not in memory.
const filesNow = () => new RecordFiles(place)

interface Library {
  readonly name: string
  readonly object: ReturnType<typeof LIBRARIES.getByName>
  readonly alice: string
  readonly bob: string
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function record({ object }: Library): Promise<void> {
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  await runInDurableObject(object, ({ recorder }) => recorder.run(Date.now()))
}

/** Two owners with two books each, in two records. */
async function recorded(): Promise<Library> {
  const name = crypto.randomUUID()
  const [alice, bob] = [`alice ${name}`, `bob ${name}`]
  const library = { name, object: LIBRARIES.getByName(name), alice, bob }
  for (const at of [1, 2]) {
    for (const owner of [alice, bob]) await library.object.put(owner, at, `${owner} ${at}`)
    await record(library)
  }
  return library
}

async function lose({ object }: Library): Promise<void> {
  await runInDurableObject(object, ({ stored }) => stored.deleteAll())
  await evictDurableObject(object)
}

const rebuild = ({ object }: Library) =>
  runInDurableObject(object, ({ recorder }) => recorder.rebuild({ replaces: false, lostAt: 0 }, Date.now()))
const titles = ({ object }: Library) =>
  runInDurableObject(object, ({ stored: { sql, exists } }) =>
    exists
      ? sql
          .exec<{ title: string }>('SELECT title FROM books ORDER BY title')
          .toArray()
          .map(({ title }) => title)
      : null,
  )

async function keyOf(owner: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner)))
  return LIBRARY_PREFIX + Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What R2 has of a key. */
async function bytesOf(key: string, bucket = ERASURE_KEYS): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? expect.unreachable(key))
}

describe('an erasure key', () => {
  it('brings back everything, while it is kept', async () => {
    const library = await recorded()
    const before = await titles(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual(before)
    expect(before).toHaveLength(4)
  })

  it('takes what an owner had with it, and nothing of anybody else; the answer says so', async () => {
    const library = await recorded()
    await lose(library)
    await filesNow().erase(library.alice)
    await filesNow().erase(library.alice)
    expect(await rebuild(library)).toBe('erased')
    expect(await titles(library)).toEqual([`${library.bob} 1`, `${library.bob} 2`])
  })

  it('is all that opens a part: without it, and with every other key, no record says what', async () => {
    const library = await recorded()
    await filesNow().erase(library.alice)
    const sequences = await filesNow().sequences(library.name)
    for (const sequence of sequences) {
      const opened = JSON.stringify(await filesNow().read(library.name, sequence))
      expect(opened).not.toContain(library.alice)
      expect(opened).toContain(library.bob)
    }
    expect(sequences).toHaveLength(2)
  })

  it('of the object itself that is gone leaves the object as it is', async () => {
    const library = await recorded()
    const [key, before] = [await keyOf(library.name), await titles(library)]
    const kept = await bytesOf(key)
    const known = await filesNow().names(null, 1_000)
    expect(known.names).toContain(library.name)
    await filesNow().erase(library.name)
    const names = known.names.filter((name) => name !== library.name)
    expect(await filesNow().names(null, 1_000)).toEqual({ ...known, names, erased: known.erased + 1 })
    const records = (await RECORDS.list()).objects.map(({ etag }) => etag)
    await runInDurableObject(library.object, ({ stored }) => stored.deleteAll())
    await evictDurableObject(library.object)
    expect(await rebuild(library)).toBe('erased')
    expect(await titles(library)).toBeNull()
    expect((await RECORDS.list()).objects.map(({ etag }) => etag)).toEqual(records)
    await ERASURE_KEYS.put(key, kept)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual(before)
  })

  it('that is lost while the object lives is made again, and the object recorded under it', async () => {
    const library = await recorded()
    const before = await titles(library)
    for (const owner of [library.name, library.alice, library.bob]) await ERASURE_KEYS.delete(await keyOf(owner))
    expect(await rebuild(library)).toBe('recorded')
    await record(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual(before)
  })

  it('that is lost is made again by the next change, with a base of everything, also if R2 fails in between', async () => {
    const library = await recorded()
    for (const owner of [library.name, library.alice, library.bob]) await ERASURE_KEYS.delete(await keyOf(owner))
    // An object in memory would use the keys that it knows.
    await evictDurableObject(library.object)
    await library.object.put(library.alice, 3, `${library.alice} 3`)
    const failing = vi.spyOn(RECORDS, 'put').mockRejectedValueOnce(new Error('R2 is down'))
    await expect(record(library)).rejects.toThrow()
    expect(failing).toHaveBeenCalledOnce()
    await evictDurableObject(library.object)
    await record(library)
    const before = await titles(library)
    expect(before).toHaveLength(5)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual(before)
  })

  it('of another owner opens nothing, nor does one that was changed', async () => {
    const library = await recorded()
    const key = await keyOf(library.alice)
    const own = await bytesOf(key)
    await lose(library)
    await ERASURE_KEYS.put(key, await bytesOf(await keyOf(library.bob)))
    await expect(rebuild(library)).rejects.toThrow('An erasure key cannot be decrypted')
    await ERASURE_KEYS.put(
      key,
      own.map((byte, at) => (at === own.length - 1 ? byte ^ 1 : byte)),
    )
    await expect(rebuild(library)).rejects.toThrow('An erasure key cannot be decrypted')
    expect(await titles(library)).toBeNull()
  })

  it('is there before the first record that needs it, and is written and read once', async () => {
    const library = await recorded()
    const carol = `carol ${library.name}`
    const [put, get] = [vi.spyOn(ERASURE_KEYS, 'put'), vi.spyOn(ERASURE_KEYS, 'get')]
    const failing = vi.spyOn(RECORDS, 'put').mockRejectedValue(new Error('R2 is down'))
    await library.object.put(library.alice, 3, `${library.alice} 3`)
    await library.object.put(carol, 1, carol)
    await expect(record(library)).rejects.toThrow()
    expect(failing).toHaveBeenCalledOnce()
    expect(await ERASURE_KEYS.head(await keyOf(carol))).not.toBeNull()
    failing.mockRestore()
    await record(library)
    expect(put.mock.calls.map(([key]) => key)).toEqual([await keyOf(carol)])
    expect(get.mock.calls.map(([key]) => key)).toEqual([await keyOf(carol)])
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toHaveLength(6)
  })

  it('that was deleted does not come back with a newer seed', async () => {
    const library = await recorded()
    const next = new RecordFiles({ ...place, seeds: new Map([...LIBRARY_SEEDS, [2, '5d'.repeat(32)]]) })
    const written = await filesNow().read(library.name, 1)
    const { version: _, keyId: __, ...unsealed } = written?.record ?? expect.unreachable('a record')
    const put = ERASURE_KEYS.put.bind(ERASURE_KEYS)
    const before = await bytesOf(await keyOf(library.name))
    // Erased between reading the key and sealing it anew.
    vi.spyOn(ERASURE_KEYS, 'put').mockImplementationOnce(async (...args) => {
      await ERASURE_KEYS.delete(await keyOf(library.name))
      return put(...args)
    })
    await next.create({ ...unsealed, sequence: 99 })
    expect(await bytesOf(await keyOf(library.name))).not.toEqual(before)
    await expect(filesNow().read(library.name, 1)).rejects.toThrow()
    await expect(
      new RecordFiles({ ...place, seeds: new Map([...LIBRARY_SEEDS, [2, '5d'.repeat(32)]]) }).read(library.name, 1),
    ).rejects.toThrow('cannot be decrypted with its erasure key')
  })

  it('is deleted with an object that ends, and its next life has another', async () => {
    const library = await recorded()
    const [key, first] = [await keyOf(library.name), await keyOf(library.name).then((one) => bytesOf(one))]
    expect(await library.object.end(true)).toBe(true)
    expect(await ERASURE_KEYS.head(key)).toBeNull()
    await library.object.put(library.name, 1, `again ${library.name}`)
    await record(library)
    expect(await bytesOf(key)).not.toEqual(first)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toEqual([`again ${library.name}`])
  })
})

describe('what a living object removed', () => {
  it('is in no record after a day, though nothing else changes', async () => {
    const library = await recorded()
    await runInDurableObject(library.object, ({ stored }) =>
      stored.transact(() => stored.sql.exec('DELETE FROM books WHERE shelf = ?', library.alice)),
    )
    vi.setSystemTime(Date.now() + 24 * 3_600_000)
    await record(library)
    const sequences = await filesNow().sequences(library.name)
    for (const sequence of sequences) {
      expect(JSON.stringify(await filesNow().read(library.name, sequence))).not.toContain(library.alice)
    }
    expect(sequences).toHaveLength(1)
  })
})
