import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hammingDistance } from '@svc/fingerprint'
import { describe, expect, it } from 'vitest'
import { EmbeddedIndex } from '../../src/vectors/embedded-index.ts'
import { nearestOfEach, unpacked, type VectorIndex } from '../../src/vectors/vector-index.ts'
import { VectorizeIndex } from '../../src/vectors/vectorize-index.ts'
import { RecordedVectorize } from './vectorize.fixture.ts'

/** An index of its own, and what makes its writes visible. */
function embedded() {
  const name = crypto.randomUUID()
  return { index: new EmbeddedIndex(env.VECTOR_INDEX, name) as VectorIndex, settle: () => {}, name }
}
function vectorize() {
  const recorded = new RecordedVectorize()
  return { index: new VectorizeIndex(recorded) as VectorIndex, settle: () => recorded.settle(), recorded }
}

/** The runtime gives 64 KiB of chance at a time. */
function random(count: number): Uint8Array {
  const vectors = new Uint8Array(count * 32)
  for (let at = 0; at < vectors.length; at += 65_536) crypto.getRandomValues(vectors.subarray(at, at + 65_536))
  return vectors
}

/** The vector with its first `bits` values turned round. */
function turned(vector: Uint8Array, bits: number): Uint8Array {
  return vector.map((byte, i) => byte ^ (bits >= 8 * (i + 1) ? 255 : (1 << Math.max(0, bits - 8 * i)) - 1))
}
const joined = (...vectors: Uint8Array[]) => Uint8Array.from(vectors.flatMap((vector) => [...vector]))

describe.each([
  ['the embedded index', embedded],
  ['Vectorize as recorded', vectorize],
])('%s', (_, open) => {
  it('finds nothing where nothing was put', async () => {
    expect(await open().index.nearest(random(2), { topK: 3, maxDistance: 256 })).toEqual([[], []])
  })

  it('finds the nearest first, with its exact distance, and none beyond the limit', async () => {
    const { index, settle } = open()
    const query = random(1)
    const distances = [30, 0, 256, 31, 1, 128]
    for (const [i, distance] of distances.entries()) await index.put(i, joined(turned(query, distance)))
    settle()
    const found = (await index.nearest(query, { topK: 10, maxDistance: 256 }))[0]
    expect(found).toEqual(
      [0, 1, 30, 31, 128, 256].map((distance) => ({ set: distances.indexOf(distance), place: 0, distance })),
    )
    expect((await index.nearest(query, { topK: 2, maxDistance: 256 }))[0]).toEqual(found?.slice(0, 2))
    const [near] = await index.nearest(query, { topK: 10, maxDistance: 20 })
    expect(near?.filter(({ distance }) => distance <= 20)).toEqual(found?.slice(0, 2))
    expect(near?.some(({ distance }) => distance > 28)).toBe(false)
  })

  it('names a set once, by its nearest vector, however many are near', async () => {
    const { index, settle } = open()
    const query = random(1)
    await index.put(1, joined(...Array.from({ length: 60 }, (__, i) => turned(query, 5 + (i % 3)))))
    await index.put(2, joined(turned(query, 70), turned(query, 9), turned(query, 10)))
    settle()
    for (const topK of [2, 50])
      expect((await index.nearest(query, { topK, maxDistance: 76 }))[0]).toEqual([
        { set: 1, place: 0, distance: 5 },
        { set: 2, place: 1, distance: 9 },
      ])
  })

  it('forgets a set, and says how much of it is there', async () => {
    const { index, settle } = open()
    const [one, two] = [random(1_500), random(3)]
    const stored = { set: 1, vectors: 1_500 }
    await index.put(1, one)
    await index.put(2, two)
    settle()
    const before = await index.room()
    expect(await index.presence(stored)).toBe('whole')
    for (let times = 0; times < 2; times++) await index.remove([stored, { set: 3, vectors: 5 }])
    settle()
    expect([await index.presence(stored), await index.presence({ set: 2, vectors: 3 })]).toEqual(['none', 'whole'])
    expect(await index.room()).toBe(before + 1_500)
    const found = await index.nearest(joined(one.slice(0, 32), two.slice(64)), { topK: 5, maxDistance: 20 })
    expect(found).toEqual([[], [{ set: 2, place: 2, distance: 0 }]])
    await index.put(1, one)
    settle()
    expect(await index.nearest(one.slice(320, 352), { topK: 5, maxDistance: 20 })).toEqual([
      [{ set: 1, place: 10, distance: 0 }],
    ])
  })

  it('tells sets apart, and answers each query for itself', async () => {
    const { index, settle } = open()
    const [left, right] = [random(3), random(5)]
    await index.put(1, left)
    await index.put(2_147_483_648, right)
    settle()
    const found = await index.nearest(joined(left.slice(64), right.slice(32, 64), random(1)), {
      topK: 1,
      maxDistance: 40,
    })
    expect(found).toEqual([[{ set: 1, place: 2, distance: 0 }], [{ set: 2_147_483_648, place: 1, distance: 0 }], []])
  })

  it('takes a set twice and has it once', async () => {
    const { index, settle } = open()
    const vectors = random(4)
    for (let i = 0; i < 3; i++) expect(await index.put(1, vectors)).toEqual({ ok: true, value: undefined })
    settle()
    const found = await index.nearest(vectors.slice(0, 32), { topK: 10, maxDistance: 0 })
    expect(found).toEqual([[{ set: 1, place: 0, distance: 0 }]])
  })

  it('takes as many as a text may have', async () => {
    const { index, settle } = open()
    const vectors = random(5_000)
    await index.put(1, vectors)
    settle()
    const query = joined(vectors.slice(0, 32), vectors.slice(999 * 32, 1001 * 32), vectors.slice(4_999 * 32))
    const found = await index.nearest(query, { topK: 1, maxDistance: 0 })
    expect(found.map(([first]) => first?.place)).toEqual([0, 999, 1000, 4999])
  })
})

describe('the embedded index', () => {
  it('finds what a look at every vector finds, across blocks, ties included', async () => {
    const { index } = embedded()
    const sets = [random(700), random(1), random(1_300), random(511)]
    for (let i = 0; i < 60; i++) sets.push(random(1 + (i % 5)))
    // Of equals the first: every vector of the last set stands there a second time.
    sets.push(sets[3] ?? random(1))
    for (const [i, set] of sets.entries()) await index.put(i + 1, set)
    const queries = joined(random(3), turned((sets[2] ?? random(1)).slice(512 * 32, 513 * 32), 20))
    const all = sets.flatMap((set, i) => unpacked(set).map((vector, place) => ({ set: i + 1, place, vector })))
    const expected = unpacked(queries).map((query) =>
      nearestOfEach(all.map(({ set, place, vector }) => ({ set, place, distance: hammingDistance(query, vector) }))),
    )
    expect(await index.nearest(queries, { topK: 50, maxDistance: 256 })).toEqual(
      expected.map((found) => found.slice(0, 50)),
    )
    expect(await index.nearest(queries, { topK: 50, maxDistance: 110 })).toEqual(
      expected.map((found) => found.filter(({ distance }) => distance <= 110).slice(0, 50)),
    )
  })

  it('finds the same after its object was evicted', async () => {
    const { index, name } = embedded()
    const query = random(1)
    for (let set = 9; set > 0; set--) await index.put(set, joined(turned(query, set % 3), random(40)))
    const before = await index.nearest(query, { topK: 5, maxDistance: 256 })
    await evictDurableObject(env.VECTOR_INDEX.getByName(name))
    expect(await index.nearest(query, { topK: 5, maxDistance: 256 })).toEqual(before)
    expect(before[0]?.map(({ set }) => set)).toEqual([9, 6, 3, 7, 4])
    await index.put(10, query)
    expect((await index.nearest(query, { topK: 50, maxDistance: 0 }))[0]).toHaveLength(4)
  })

  it('believes the later vectors of a number, should it ever stand for others', async () => {
    const { index, name } = embedded()
    const [first, second] = [random(2), random(3)]
    await index.put(1, first)
    await index.put(1, second)
    for (let evicted = 0; evicted < 2; evicted++) {
      expect(await index.nearest(joined(first.slice(0, 32), second.slice(64)), { topK: 1, maxDistance: 10 })).toEqual([
        [],
        [{ set: 1, place: 2, distance: 0 }],
      ])
      await evictDurableObject(env.VECTOR_INDEX.getByName(name))
    }
  })

  it('stores nothing for a look into an index that nobody has put anything in', async () => {
    const { index, name } = embedded()
    await index.nearest(random(1), { topK: 1, maxDistance: 256 })
    const tables = await runInDurableObject(env.VECTOR_INDEX.getByName(name), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
  })

  it('refuses what would not fit its memory, and goes on serving', async () => {
    const { index } = embedded()
    const vectors = random(60_000)
    for (let set = 1; set <= 17; set++) expect((await index.put(set, vectors)).ok).toBe(true)
    expect(await index.put(18, vectors)).toEqual({ ok: false, error: { reason: 'full' } })
    expect((await index.put(19, vectors.slice(0, 32 * (2 ** 20 - 17 * 60_000)))).ok).toBe(true)
    expect(await index.put(20, vectors.slice(0, 32))).toEqual({ ok: false, error: { reason: 'full' } })
    const [found] = await index.nearest(vectors.slice(0, 32), { topK: 50, maxDistance: 0 })
    expect(found?.map(({ set, place }) => [set, place])).toEqual([...Array(17).keys(), 18].map((i) => [i + 1, 0]))
  }, 30_000)
})

describe('Vectorize', () => {
  it('is asked for enough that estimates and ties in any order lose nobody near', async () => {
    const query = random(1)
    const answers = []
    for (const seed of [1, 2, 3]) {
      const recorded = new RecordedVectorize({ seed, blur: 0.03 })
      const index = new VectorizeIndex(recorded)
      for (let set = 1; set <= 40; set++) await index.put(set, joined(turned(query, 40 + (set % 36)), random(1)))
      recorded.settle()
      const [found] = await index.nearest(query, { topK: 50, maxDistance: 76 })
      answers.push(found?.map(({ set }) => set).toSorted((a, b) => a - b))
    }
    expect(answers).toEqual(Array(3).fill(Array.from({ length: 40 }, (_, i) => i + 1)))
  })

  it('loses a mutation that it accepted, and says so when asked for the set', async () => {
    const { index, recorded } = vectorize()
    await index.put(1, random(1_200))
    recorded.fail()
    expect(await index.presence({ set: 1, vectors: 1_200 })).toBe('none')
    await index.put(1, random(1_000))
    recorded.settle()
    expect(await index.presence({ set: 1, vectors: 1_200 })).toBe('part')
  })

  it('gets no more than 1,000 vectors at a time', async () => {
    const { index, recorded } = vectorize()
    await index.put(1, random(2_500))
    expect(recorded.upserts).toEqual([1_000, 1_000, 500])
  })

  it('may lag behind recent writes without failing', async () => {
    const { index, recorded } = vectorize()
    const vectors = random(1)
    await index.put(1, vectors)
    expect(await index.nearest(vectors, { topK: 1, maxDistance: 0 })).toEqual([[]])
    recorded.settle()
    expect(await index.nearest(vectors, { topK: 1, maxDistance: 0 })).toEqual([[{ set: 1, place: 0, distance: 0 }]])
  })

  it('is not believed about vectors that this service did not put there', async () => {
    const { index, recorded } = vectorize()
    const values = Array<number>(256).fill(1)
    for (const id of ['x', '1', '1:2:3', ' 1:2', '1:-2']) await recorded.upsert([{ id, values }])
    recorded.settle()
    expect(await index.nearest(new Uint8Array(32).fill(255), { topK: 50, maxDistance: 256 })).toEqual([[]])
  })
})
