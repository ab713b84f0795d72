import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { EmbeddedIndex } from '../../src/vectors/embedded-index.ts'
import { Generations } from '../../src/vectors/generations.ts'
import { indexesOf } from '../../src/vectors/indexes.ts'
import type { VectorIndex } from '../../src/vectors/vector-index.ts'
import { MAX_VECTORS, UNDER_WAY, VectorizeIndex } from '../../src/vectors/vectorize-index.ts'
import { caller } from '../harness.ts'
import { matchesOf, query, queryOf, register, registered, registrationOf, textOf } from '../text/text.fixture.ts'
import { act, reindexAct } from './reindex.fixture.ts'
import { RecordedVectorize } from './vectorize.fixture.ts'

const embedded = () => {
  const name = crypto.randomUUID()
  return { index: new EmbeddedIndex(env.VECTOR_INDEX, name) as VectorIndex, settle: () => {} }
}
const vectorize = () => {
  const recorded = new RecordedVectorize()
  return { index: new VectorizeIndex(recorded) as VectorIndex, settle: () => recorded.settle() }
}
const random = (count: number) => crypto.getRandomValues(new Uint8Array(count * 32))

describe.each([
  ['the embedded index', embedded],
  ['Vectorize as recorded', vectorize],
])('%s', (_, open) => {
  it('answers the same as one and in four generations', async () => {
    const one = open()
    const [first, ...others] = [open(), open(), open(), open()]
    if (!first) throw new Error('no generation')
    const each = [first, ...others]
    const generations = new Generations([first.index, ...others.map(({ index }) => index)])
    const sets = Array.from({ length: 90 }, (__, i) => ({
      set: i + 1,
      generation: 1 + Math.floor(i / 25),
      vectors: random(1 + (i % 4)),
    }))
    for (const { set, generation, vectors } of sets) {
      await one.index.put(set, vectors)
      await generations.put(generation, set, vectors)
    }
    for (const { settle } of [one, ...each]) settle()
    const queries = Uint8Array.from([...random(3), ...(sets[41]?.vectors ?? [])])
    for (const topK of [1, 10, 50])
      for (const maxDistance of [0, 110, 256])
        expect(await generations.nearest(queries, { topK, maxDistance })).toEqual(
          await one.index.nearest(queries, { topK, maxDistance }),
        )
    expect([generations.newest, await generations.isThere()]).toEqual([4, true])
    expect(await generations.room()).toBe(await each[3]?.index.room())
    const stored = sets.map(({ vectors, ...set }) => ({ ...set, vectors: vectors.length / 32 }))
    expect(new Set(await Promise.all(stored.map((set) => generations.presence(set))))).toEqual(new Set(['whole']))
    const [gone, ...left] = stored
    if (!gone) throw new Error('no set')
    await generations.remove([gone])
    for (const { settle } of each) settle()
    expect(await generations.presence(gone)).toBe('none')
    expect(new Set(await Promise.all(left.map((set) => generations.presence(set))))).toEqual(new Set(['whole']))
    await generations.remove(left)
    for (const { settle } of each) settle()
    expect(new Set(await Promise.all(left.map((set) => generations.presence(set))))).toEqual(new Set(['none']))
  })
})

it('nothing is taken to be gone from a generation that is not bound any more', async () => {
  const generations = new Generations([embedded().index])
  const set = { set: 1, generation: 2, vectors: 1 }
  await expect(async () => generations.presence(set)).rejects.toThrow('vector index')
  await expect(generations.remove([set])).rejects.toThrow('vector index')
})

describe('a deployment with a second generation', () => {
  const ONE = { text: 1, semantic: 1, fragment: 1, video: 1 }
  const replaced = { VECTOR_GENERATIONS: { ...ONE, text: 2 } }

  it('finds what was registered before and after, and reindexes each where it is', async () => {
    const by = await caller()
    const texts = ['s1', 's2', 's3', 's4', 's5'].map((seed) => textOf(seed, 60))
    const ids: string[] = []
    for (const [i, text] of texts.entries())
      ids.push(registered(await register(by, registrationOf(text), i < 3 ? {} : { replaced })).asset_id)
    const found = async (options: { replaced?: object }) => {
      const answers = []
      for (const text of texts) answers.push(matchesOf(await query(queryOf(text), undefined, options)).matches)
      return answers.map((matches) => matches.map(({ asset_id }) => asset_id))
    }
    expect(await found({ replaced })).toEqual(ids.map((id) => [id]))
    expect((await act(await reindexAct(), replaced)).status).toBe(200)
    expect(await found({ replaced })).toEqual(ids.map((id) => [id]))
    // The first generation alone has what went there, and nothing else.
    expect(await found({})).toEqual(ids.map((id, i) => (i < 3 ? [id] : [])))
    expect(await generationsOf(ids)).toEqual([1, 1, 1, 2, 2])
  })

  it('takes registrations again when the first is full', async () => {
    const by = await caller()
    const sent = registrationOf(textOf('the next generation', 60))
    const TEXT_VECTORS = full()
    expectRefusal(await register(by, sent, { replaced: { TEXT_VECTORS } }), 'index_full')
    const TEXT_VECTORS_2 = new RecordedVectorize()
    const { asset_id } = registered(
      await register(by, sent, { replaced: { ...replaced, TEXT_VECTORS, TEXT_VECTORS_2 } }),
    )
    TEXT_VECTORS_2.settle()
    expect([TEXT_VECTORS.ids.length, TEXT_VECTORS_2.ids.length > 0]).toEqual([0, true])
    expect(await generationsOf([asset_id])).toEqual([2])
  })

  it('does not start without a binding for each', () => {
    const bound = { TEXT_VECTORS: new RecordedVectorize(), TEXT_VECTORS_2: new RecordedVectorize() }
    const none = { semantic: null, fragment: null, video: null }
    expect(indexesOf(bound, { ...ONE, text: 2 })).toEqual({ text: expect.any(Generations), ...none })
    expect(() => indexesOf(bound, { ...ONE, text: 4 })).toThrow('TEXT_VECTORS_3')
  })
})

async function generationsOf(assetIds: readonly string[]): Promise<number[]> {
  const select = env.DB.prepare('SELECT asset_id, generation FROM vector_sets')
  const { results } = await select.all<{ asset_id: string; generation: number }>()
  return assetIds.map((id) => results.find((row) => row.asset_id === id)?.generation ?? 0)
}

/** Vectorize that says it is full. */
function full(): RecordedVectorize {
  const recorded = new RecordedVectorize()
  const describeFull = async () => ({
    ...(await new RecordedVectorize().describe()),
    vectorCount: MAX_VECTORS - UNDER_WAY,
  })
  return Object.assign(recorded, { describe: describeFull })
}
