import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { EmbeddedIndex } from '../../src/vectors/embedded-index.ts'
import { indexesOf } from '../../src/vectors/indexes.ts'
import { SplitIndex } from '../../src/vectors/split-index.ts'
import type { VectorIndex } from '../../src/vectors/vector-index.ts'
import { VectorizeIndex } from '../../src/vectors/vectorize-index.ts'
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
  it('answers the same as one and in four parts', async () => {
    const one = open()
    const [first, ...others] = [open(), open(), open(), open()]
    if (!first) throw new Error('no part')
    const parts = [first, ...others]
    const split = new SplitIndex([first.index, ...others.map(({ index }) => index)])
    const sets = Array.from({ length: 90 }, (__, i) => ({ set: i + 1, vectors: random(1 + (i % 4)) }))
    for (const index of [one.index, split]) for (const { set, vectors } of sets) await index.put(set, vectors)
    for (const { settle } of [one, ...parts]) settle()
    const queries = Uint8Array.from([...random(3), ...(sets[41]?.vectors ?? [])])
    for (const topK of [1, 10, 50])
      for (const maxDistance of [0, 110, 256])
        expect(await split.nearest(queries, { topK, maxDistance })).toEqual(
          await one.index.nearest(queries, { topK, maxDistance }),
        )
    const rooms = await Promise.all(parts.map(({ index }) => index.room()))
    expect([await split.room(), await split.isThere()]).toEqual([Math.min(...rooms), true])
    expect(new Set(rooms).size).toBeGreaterThan(1)
    const stored = sets.map(({ set, vectors }) => ({ set, vectors: vectors.length / 32 }))
    expect(new Set(await Promise.all(stored.map((set) => split.presence(set))))).toEqual(new Set(['whole']))
    await split.remove(stored)
    for (const { settle } of parts) settle()
    expect(new Set(await Promise.all(stored.map((set) => split.presence(set))))).toEqual(new Set(['none']))
  })
})

describe('a deployment with four parts', () => {
  const replaced = { VECTOR_SPLITS: 4 }

  it('finds what it registers, and after a change of the number what was reindexed', async () => {
    const by = await caller()
    const texts = ['s1', 's2', 's3', 's4', 's5'].map((seed) => textOf(seed, 60))
    const ids = []
    for (const [i, text] of texts.entries())
      ids.push(registered(await register(by, registrationOf(text), i < 3 ? {} : { replaced })).asset_id)
    const found = async (options: { replaced?: object }) => {
      const answers = []
      for (const text of texts) answers.push(matchesOf(await query(queryOf(text), undefined, options)).matches)
      return answers.map((matches) => matches.map(({ asset_id }) => asset_id))
    }
    expect(await found({ replaced })).toEqual([[], [], [], [ids[3]], [ids[4]]])
    expect((await act(await reindexAct(), replaced)).status).toBe(200)
    expect(await found({ replaced })).toEqual(ids.map((id) => [id]))
    expect((await act(await reindexAct())).status).toBe(200)
    expect(await found({})).toEqual(ids.map((id) => [id]))
  })

  it('does not start without a binding for each', () => {
    const bound = { TEXT_VECTORS: new RecordedVectorize(), TEXT_VECTORS_2: new RecordedVectorize() }
    expect(indexesOf(bound, 2)).toEqual({ text: expect.any(SplitIndex), semantic: null, fragment: null, video: null })
    expect(() => indexesOf(bound, 4)).toThrow('TEXT_VECTORS_3')
  })
})
