import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { RecordedVectorize } from '../vectors/vectorize.fixture.ts'
import {
  freshId,
  matchesOf,
  post,
  QUERY,
  query,
  queryOf,
  register,
  registered,
  registrationOf,
  textOf,
} from './text.fixture.ts'

const ONE = Array<number>(256).fill(1)
const body = (members: object = {}) => ({ vectors: [ONE], word_count: 20, chunk_count: 1, ...members })

describe('a query for texts', () => {
  it('finds an excerpt, says where it stands, and how much of each is in the other', async () => {
    const text = textOf('whole', 600)
    const sent = registrationOf(text)
    const { registered_at_ms } = registered(await register(await caller(), sent))
    const excerpt = text.split(' ').slice(200, 300).join(' ')
    const { matches, count, searched } = matchesOf(await query(queryOf(excerpt)))
    expect([count, searched]).toEqual([1, queryOf(excerpt).vectors.length])
    const [match] = matches
    expect(match).toMatchObject({
      asset_id: sent.asset_id,
      word_count: 600,
      chunk_count: sent.chunks.length,
      registered_at_ms,
    })
    expect(match?.query_containment).toBeGreaterThan(0.5)
    expect(match?.asset_containment).toBeGreaterThan(0.05)
    expect(match?.asset_containment).toBeLessThan(0.3)
    expect(match?.score).toBe(match?.query_containment)
    for (const chunk of match?.chunks ?? []) {
      const { index, start, words } = sent.chunks[chunk.index] ?? {}
      expect([index, start, words]).toEqual([chunk.index, chunk.start, chunk.words])
      expect(chunk.distance).toBeLessThanOrEqual(76)
      expect(chunk.start + chunk.words).toBeGreaterThan(200)
      expect(chunk.start).toBeLessThan(300)
    }
    const [span] = match?.spans ?? []
    expect(match?.spans).toHaveLength(1)
    expect(span?.start).toBeLessThan(230)
    expect((span?.words ?? 0) / 600).toBeCloseTo(match?.asset_containment ?? 0, 10)
  })

  it('finds a text that another quotes whole, after one that covers more of the query', async () => {
    const by = await caller()
    const [small, large] = [textOf('small', 80), textOf('large', 500)]
    const quoted = registrationOf(small)
    const partly = registrationOf(large)
    await register(by, quoted)
    await register(by, partly)
    const { matches } = matchesOf(await query(queryOf(`${small} ${large.split(' ').slice(0, 150).join(' ')}`)))
    expect(matches.map(({ asset_id }) => asset_id)).toEqual([partly.asset_id, quoted.asset_id])
    expect(matches[1]?.asset_containment).toBeGreaterThan(0.7)
    for (const { score, query_containment } of matches) expect(score).toBe(query_containment)
  })

  it('holds three texts of one identity at most, and the oldest of equal ones first', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const text = textOf('crowded', 60)
    const genuine = registrationOf(text)
    await register(author, genuine)
    const copies = Array.from({ length: 15 }, () => registrationOf(text))
    for (const [i, copy] of copies.entries())
      registered(await register(stranger, copy, { address: `2001:db8:a:${i}::1` }))
    const { matches } = matchesOf(await query(queryOf(text)))
    const ids = [genuine, ...copies.slice(0, 3)].map(({ asset_id }) => asset_id)
    expect(matches.map(({ asset_id }) => asset_id)).toEqual(ids)
  })

  it('puts a set that repeats its chunks after one that does not, although it came first', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const text = textOf('stuffed', 60)
    const genuine = registrationOf(text)
    const chunks = Array.from({ length: 60 }, (_, n) =>
      genuine.chunks.map((chunk) => ({ ...chunk, start: chunk.start + n * 60 })),
    ).flat()
    const stuffed = {
      asset_id: freshId(),
      word_count: 3_600,
      chunks: chunks.map((chunk, index) => ({ ...chunk, index })),
    }
    registered(await register(stranger, stuffed))
    registered(await register(author, genuine))
    const { matches } = matchesOf(await query(queryOf(text)))
    expect(matches.map(({ asset_id, score }) => [asset_id, score])).toEqual([
      [genuine.asset_id, 1],
      [stuffed.asset_id, 1],
    ])
  })

  it('is not taken over by a small set whose spans lie outside of it', async () => {
    const [author, stranger] = [await caller(), await caller()]
    const text = textOf('genuine', 400)
    const genuine = registrationOf(text)
    await register(author, genuine)
    const chunk = { ...genuine.chunks[8], index: 0 }
    const fake = (members: object) => ({ asset_id: freshId(), word_count: 5, chunks: [{ ...chunk, ...members }] })
    const wide = fake({ start: 0, words: 1_000_000 })
    const outside = fake({ start: 5, words: 20 })
    for (const sent of [wide, outside]) expect(registered(await register(stranger, sent)).chunk_count).toBe(1)
    const { matches } = matchesOf(
      await query(queryOf(`${text.split(' ').slice(0, 200).join(' ')} ${textOf('new', 200)}`)),
    )
    expect(matches.map(({ asset_id }) => asset_id)).toEqual([genuine.asset_id, wide.asset_id])
    // Two neighbours in the query are near its one chunk. Each pair is shown within the five words of its text.
    expect(matches[1]?.chunks).toMatchObject([
      { query: 7, index: 0, start: 0, words: 5 },
      { query: 8, index: 0, start: 0, words: 5 },
    ])
    expect(matches[1]?.spans).toEqual([{ start: 0, words: 5 }])
    expect(matches[1]?.chunk_count).toBe(1)
  })

  it('finds nothing for a text that nobody has registered', async () => {
    expect(matchesOf(await query(queryOf(textOf('nobody', 100))))).toMatchObject({ matches: [], count: 0 })
  })

  it('finds what was registered before its index was evicted', async () => {
    const text = textOf('evicted', 90)
    const sent = registrationOf(text)
    await register(await caller(), sent)
    await evictDurableObject(env.VECTOR_INDEX.getByName('text'))
    expect(matchesOf(await query(queryOf(text))).matches[0]).toMatchObject({ asset_id: sent.asset_id, score: 1 })
  })

  it('answers with ten texts at most, and no containment exceeds 1 whatever was claimed', async () => {
    const everybody = await Promise.all(Array.from({ length: 4 }, () => caller()))
    const text = textOf('common', 60)
    const ids: string[] = []
    for (let i = 0; i < 12; i++) {
      const sent = registrationOf(text)
      const chunks = sent.chunks.map((chunk) => ({ ...chunk, words: 1_000_000 }))
      registered(await register(everybody[i % 4]!, { ...sent, chunks }, { address: `2001:db8:9:${i}::1` }))
      ids.push(sent.asset_id)
    }
    const { matches } = matchesOf(await query(queryOf(text)))
    expect(matches.map(({ asset_id }) => asset_id)).toEqual(ids.slice(0, 10))
    expect(matches.map(({ asset_containment }) => asset_containment)).toEqual(Array<number>(10).fill(1))
  })

  it('works over Vectorize as over the embedded index, once it has seen what was written', async () => {
    const [by, recorded] = [await caller(), new RecordedVectorize()]
    const replaced = { TEXT_VECTORS: recorded }
    const text = textOf('deployed', 300)
    const sent = registrationOf(text)
    registered(await register(by, sent, { replaced }))
    expect(matchesOf(await query(queryOf(text), undefined, { replaced })).count).toBe(0)
    expect(registered(await register(by, sent, { replaced })).duplicate).toBe(true)
    recorded.settle()
    const [match] = matchesOf(await query(queryOf(text), undefined, { replaced })).matches
    expect(match).toMatchObject({ asset_id: sent.asset_id, score: 1, query_containment: 1, asset_containment: 1 })
  })

  it('believes no index that names what is not there', async () => {
    const recorded = new RecordedVectorize()
    const values = queryOf(textOf('stray', 40)).vectors[0] ?? []
    await recorded.upsert([{ id: '999999:0', values: [...values] }])
    recorded.settle()
    const answer = await query(queryOf(textOf('stray', 40)), undefined, { replaced: { TEXT_VECTORS: recorded } })
    expect(matchesOf(answer).matches).toEqual([])
  })
})

describe('what is checked of a query', () => {
  it.each<[unknown]>([
    [{}],
    [body({ vectors: [] })],
    [body({ vectors: null })],
    [body({ vectors: { 0: ONE } })],
    ['null'],
  ])('refuses %j for its vectors', async (sent) => {
    const refused = await post(QUERY, sent)
    expectRefusal(refused, 'text vectors must be a non-empty array')
    expect(refused.body).toMatchObject({ message: 'Text vectors must be a non-empty array' })
  })

  it.each<[unknown, string]>([
    [body({ vectors: [ONE, 1] }), 'vectors.1 must be an array'],
    [body({ vectors: [ONE.slice(1)] }), 'exactly 256'],
    [body({ vectors: [[...ONE.slice(1), 2]] }), '1 and -1'],
    [body({ word_count: 0 }), 'word_count'],
    [body({ chunk_count: '1' }), 'chunk_count'],
  ])('refuses a fault further on', async (sent, named) => {
    const refused = await query(sent)
    expectRefusal(refused, 'invalid_request')
    expect((refused.body as { message: string }).message).toContain(named)
  })

  it('refuses prose before anything else, and JSON that is none before that', async () => {
    for (const key of ['text', 'title', 'body', 'content'])
      expectRefusal(await query({ [key]: null, vectors: [] }), 'prose_rejected')
    expectRefusal(await query('{"text":'), 'invalid-json')
  })

  it('takes a hundred vectors and no more', async () => {
    expect((await query(body({ vectors: Array(100).fill(ONE) }))).status).toBe(200)
    expectRefusal(await query(body({ vectors: Array(101).fill(ONE) })), 'too_many_vectors')
  })

  it('is refused without an index, after what is wrong with the body', async () => {
    const replaced = { VECTOR_INDEX: undefined }
    expectRefusal(await query(body(), undefined, { replaced }), 'text index not provisioned')
    expectRefusal(await query(body({ content: 0 }), undefined, { replaced }), 'prose_rejected')
  })
})
