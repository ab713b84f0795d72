import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, type RebuildOptions, RecordFiles } from '@svc/objects/records'
import { bytesOf as bytesOfText } from '@svc/protocol/base/base64url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LIBRARY_PREFIX, LIBRARY_SEED, LIBRARY_SEEDS, type LibraryObject } from './library.ts'
import vectors from './vectors/records.json' with { type: 'json' }

const { LIBRARIES, RECORDS, OTHER_RECORDS, ERASURE_KEYS } = env as unknown as {
  readonly LIBRARIES: DurableObjectNamespace<LibraryObject>
  readonly RECORDS: R2Bucket
  readonly OTHER_RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
}
const NEXT_SEED = '5d'.repeat(32)
const filesUnder = (seeds: readonly (readonly [number, string])[], bucket = RECORDS, erasureKeys = ERASURE_KEYS) =>
  new RecordFiles({ bucket, seeds: new Map(seeds), prefix: LIBRARY_PREFIX, erasureKeys })
const files = filesUnder([[1, LIBRARY_SEED]])
/** In other buckets, so that it replaces no erasure key. */
async function keyIdOf(seed: string): Promise<string> {
  return (await filesUnder([[1, seed]], OTHER_RECORDS, OTHER_RECORDS).keysOf(crypto.randomUUID())).keyId
}

interface Library {
  readonly name: string
  readonly object: ReturnType<typeof LIBRARIES.getByName>
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  LIBRARY_SEEDS.clear()
  LIBRARY_SEEDS.set(1, LIBRARY_SEED)
})

async function recordNow({ object }: Library): Promise<void> {
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  await runInDurableObject(object, ({ recorder }) => recorder.run(Date.now()))
}

/** A library with three records, each of one book. */
async function recorded(): Promise<Library> {
  const name = crypto.randomUUID()
  const library = { name, object: LIBRARIES.getByName(name) }
  for (const place of [1, 2, 3]) {
    await library.object.put('a', place, `${name} ${place}`)
    await recordNow(library)
  }
  return library
}

async function lose({ object }: Library): Promise<void> {
  await runInDurableObject(object, ({ stored }) => stored.deleteAll())
  await evictDurableObject(object)
}

const rebuild = ({ object }: Library, options: Partial<RebuildOptions> = {}) =>
  runInDurableObject(object, ({ recorder }) => recorder.rebuild({ replaces: false, lostAt: 0, ...options }, Date.now()))
const titles = ({ object }: Library) =>
  runInDurableObject(object, ({ stored: { sql, exists } }) =>
    exists ? sql.exec<{ title: string }>('SELECT title FROM books ORDER BY place').toArray().length : null,
  )

const books = ({ object }: Library) =>
  runInDurableObject(object, ({ stored: { sql } }) =>
    sql
      .exec<{ place: number; title: string }>('SELECT place, title FROM books ORDER BY place')
      .toArray()
      .map(({ place, title }) => [place, title]),
  )

async function keyOf(name: string, sequence: number): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  const folder = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${LIBRARY_PREFIX}${folder}/${String(sequence).padStart(12, '0')}`
}
async function bytesOf(key: string, bucket = RECORDS): Promise<Uint8Array> {
  const file = await bucket.get(key)
  if (!file) throw new Error('no such record')
  return new Uint8Array(await file.arrayBuffer())
}
const listed = async () => (await RECORDS.list()).objects.map(({ key, etag }) => `${key} ${etag}`)

/** A lost library is not rebuilt, and nothing is written or deleted; then the file is put back, and it is. */
async function expectRefused(library: Library, sequence: number, file: Uint8Array, fault: string): Promise<void> {
  const key = await keyOf(library.name, sequence)
  const before = await bytesOf(key)
  await lose(library)
  await RECORDS.put(key, file)
  const stored = await listed()
  await expect(rebuild(library)).rejects.toThrow(fault)
  expect(await titles(library)).toBeNull()
  expect(await listed()).toEqual(stored)
  await RECORDS.put(key, before)
  expect(await rebuild(library)).toBe('rebuilt')
  expect(await titles(library)).toBe(3)
}

describe('a file of another form is refused', () => {
  it('of the form before, which had no header', async () => {
    const library = await recorded()
    const old = crypto.getRandomValues(new Uint8Array(500))
    await expectRefused(library, 2, old, 'Record 2 has no header: it is of an older form, or no record')
    await expectRefused(library, 3, new Uint8Array(3), 'Record 3 has no header')
  })

  it('of another version, which the error names', async () => {
    const library = await recorded()
    const bytes = await bytesOf(await keyOf(library.name, 2))
    expect(new TextDecoder().decode(bytes.slice(0, 6))).toBe('svcrec')
    bytes[7] = 2
    await expectRefused(library, 2, bytes, 'Record 2 is of version 2, and this code reads version 3')
  })

  it('of another key, which the error names', async () => {
    const library = await recorded()
    const bytes = await bytesOf(await keyOf(library.name, 2))
    bytes.set(new Uint8Array(16).fill(0xab), 8)
    await expectRefused(library, 2, bytes, `Record 2 is under the key ${'ab'.repeat(16)}`)
  })

  it('with a header that was changed to one that is known', async () => {
    const library = await recorded()
    const bytes = await bytesOf(await keyOf(library.name, 2))
    LIBRARY_SEEDS.set(2, NEXT_SEED)
    const id = await keyIdOf(NEXT_SEED)
    bytes.set(
      Uint8Array.from(id.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)),
      8,
    )
    await expectRefused(library, 2, bytes, 'Record 2 cannot be decrypted: it was changed, or belongs elsewhere')
  })
})

describe('a record out of its place is refused', () => {
  it('under the number of another', async () => {
    const library = await recorded()
    const first = await bytesOf(await keyOf(library.name, 1))
    await expectRefused(library, 2, first, 'Record 2 cannot be decrypted')
  })

  it('of another library', async () => {
    const [library, other] = [await recorded(), await recorded()]
    await expectRefused(library, 2, await bytesOf(await keyOf(other.name, 2)), 'Record 2 cannot be decrypted')
  })

  it('that was rolled back to what it was in a life before', async () => {
    const library = await recorded()
    const before = await bytesOf(await keyOf(library.name, 2))
    expect(await library.object.end(true)).toBe(true)
    for (const place of [1, 2, 3]) {
      await library.object.put('a', place, `again ${library.name} ${place}`)
      await recordNow(library)
    }
    await expectRefused(library, 2, before, 'A part of record 2 cannot be decrypted with its erasure key')
  })

  it('that somebody planted who has the seed', async () => {
    const library = await recorded()
    const elsewhere = filesUnder([[1, LIBRARY_SEED]], OTHER_RECORDS)
    const written = await files.read(library.name, 2)
    const { version: _, keyId: __, ...record } = written?.record ?? expect.unreachable('a record')
    await elsewhere.create({ ...record, tables: [] })
    const planted = await bytesOf(await keyOf(library.name, 2), OTHER_RECORDS)
    await expectRefused(library, 2, planted, 'Record 3 does not follow record 2')
  })

  it('if it is not the newest one that a library remembers', async () => {
    const library = await recorded()
    const elsewhere = filesUnder([[1, LIBRARY_SEED]], OTHER_RECORDS)
    const written = await files.read(library.name, 3)
    const { version: _, keyId: __, ...record } = written?.record ?? expect.unreachable('a record')
    await elsewhere.create({ ...record, tables: [] })
    await RECORDS.put(await keyOf(library.name, 3), await bytesOf(await keyOf(library.name, 3), OTHER_RECORDS))
    await expect(rebuild(library, { replaces: true })).rejects.toThrow('Record 3 is not the one that the object wrote')
    expect(await titles(library)).toBe(3)
  })

  it('and so is a gap', async () => {
    const library = await recorded()
    await lose(library)
    await files.delete(library.name, [2])
    await expect(rebuild(library)).rejects.toThrow('Record 2 is missing')
    expect(await titles(library)).toBeNull()
  })
})

it.each(vectors.records)('a vector opens: $key', async ({ key, fileB64u, hash, record: sealed, parts }) => {
  const { seedHex, prefix, name, erasureKeys } = vectors
  const place = { bucket: OTHER_RECORDS, erasureKeys: ERASURE_KEYS, prefix }
  const reader = new RecordFiles({ ...place, seeds: new Map([[1, seedHex]]) })
  await OTHER_RECORDS.put(key, bytesOfText(fileB64u).slice())
  for (const one of erasureKeys) await ERASURE_KEYS.put(one.key, bytesOfText(one.fileB64u).slice())
  const read = await reader.read(name, sealed.sequence)
  const { parts: _, ...outer } = sealed
  const [own] = parts
  const expected = { ...outer, name, facts: own?.facts, tables: parts.flatMap(({ tables }): unknown[] => tables) }
  expect([read?.record, read?.hash]).toEqual([expected, hash])
})

describe('a Worker with another seed', () => {
  it('reads no record, and none that it plants is taken', async () => {
    const library = await recorded()
    const sibling = filesUnder([[1, NEXT_SEED]])
    const keyId = await keyIdOf(LIBRARY_SEED)
    await expect(sibling.read(library.name, 3)).rejects.toThrow(
      `Record 3 is under the key ${keyId}, which comes from no version of RECORDS_SEED`,
    )
    const own = filesUnder([[1, NEXT_SEED]], OTHER_RECORDS, OTHER_RECORDS)
    const written = await files.read(library.name, 3)
    await own.create(written?.record ?? expect.unreachable('a record'))
    const planted = await bytesOf(await keyOf(library.name, 3), OTHER_RECORDS)
    await expectRefused(library, 3, planted, `Record 3 is under the key ${await keyIdOf(NEXT_SEED)}`)
  })
})

describe('another version of the seed', () => {
  it('is what the next record is under, a base; the one before can then be removed', async () => {
    const library = await recorded()
    LIBRARY_SEEDS.set(2, NEXT_SEED)
    await evictDurableObject(library.object)
    // Nothing changed in it: it is visited.
    expect(await rebuild(library)).toBe('recorded')
    await recordNow(library)
    expect(await files.sequences(library.name)).toEqual([4])
    expect(await rebuild(library)).toBe('unchanged')
    LIBRARY_SEEDS.delete(1)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toBe(3)
  })

  it('reads what is under those before, while they are there', async () => {
    const library = await recorded()
    LIBRARY_SEEDS.set(2, NEXT_SEED)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toBe(3)
  })

  it('follows one that is lost: a living library is recorded under it', async () => {
    const library = await recorded()
    LIBRARY_SEEDS.set(1, NEXT_SEED)
    await evictDurableObject(library.object)
    await library.object.put('a', 4, 'after')
    await recordNow(library)
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toBe(4)
  })
})

describe('a library that is written to while its seed is rolled', () => {
  it.each([1, 2, 3, 4])('loses nothing that was recorded, and nothing comes back, by seed %i', async (seed) => {
    const name = crypto.randomUUID()
    const library = { name, object: LIBRARIES.getByName(name) }
    let random = seed
    const below = (limit: number) => {
      random = (random * 48_271) % 2_147_483_647
      return random % limit
    }
    const kept = new Map<number, string>()
    let expected = new Map(kept)
    const restart = async () => {
      await runInDurableObject(library.object, () => {})
      await evictDurableObject(library.object)
    }
    const record = async () => {
      await recordNow(library)
      expected = new Map(kept)
    }
    const steps: readonly ((n: number) => Promise<void>)[] = [
      async (n) => {
        const place = below(6)
        await library.object.put('a', place, `${n}`)
        kept.set(place, `${n}`)
      },
      async () => {
        const place = below(6)
        await library.object.remove('a', place)
        kept.delete(place)
      },
      record,
      async (n) => {
        LIBRARY_SEEDS.set(n + 2, String(n % 10).repeat(64))
        await restart()
      },
      async () => {
        // Once everything is under the newest version, the others go.
        await rebuild(library)
        await record()
        const newest = Math.max(...LIBRARY_SEEDS.keys())
        for (const version of LIBRARY_SEEDS.keys()) if (version !== newest) LIBRARY_SEEDS.delete(version)
        await restart()
      },
      async () => {
        await lose(library)
        expect(await rebuild(library)).toBe('rebuilt')
        kept.clear()
        for (const [place, title] of expected) kept.set(place, title)
        expect(await books(library)).toEqual([...expected].toSorted(([one], [other]) => one - other))
      },
    ]
    await steps[0]?.(0)
    await record()
    for (let n = 1; n <= 40; n++) await steps[below(steps.length)]?.(n)
    await record()
    await steps.at(-1)?.(41)
  })
})

describe('a living library whose records could not rebuild it', () => {
  it.each([
    ['a missing one', (name: string) => files.delete(name, [2])],
    ['a missing newest one', (name: string) => files.delete(name, [3])],
    ['a damaged one', async (name: string) => void (await RECORDS.put(await keyOf(name, 2), 'damaged'))],
    ['none', (name: string) => files.delete(name, [1, 2, 3])],
  ])('is recorded again: %s', async (_, damage) => {
    const library = await recorded()
    await damage(library.name)
    expect(await rebuild(library)).toBe('recorded')
    await recordNow(library)
    expect(await rebuild(library)).toBe('unchanged')
    await lose(library)
    expect(await rebuild(library)).toBe('rebuilt')
    expect(await titles(library)).toBe(3)
  })
})
