import { textIdOf } from '@svc/protocol/provenance/text-id'
import { describe, expect, it } from 'vitest'
import { readTextQuery, readTextRegistration } from './rules.ts'

const PLUS = Array<number>(256).fill(1)
const MINUS = Array<number>(256).fill(-1)
const ASSET = `text-${'5b'.repeat(16)}`
const chunk = { index: 0, start: 0, words: 5, values: PLUS }
const body = { asset_id: ASSET, word_count: 10, chunks: [chunk, { ...chunk, index: 1, start: 5, values: MINUS }] }
const invalid = (fault: string) => ({ ok: false, error: { reason: 'invalid', fault } })
const refused = (error: object) => ({ ok: false, error })

describe('a registration', () => {
  const read = (changed: object) => readTextRegistration({ ...body, ...changed })
  const readChunk = (changed: object) => read({ chunks: [chunk, { ...chunk, ...changed }] })

  it('is read with its chunks in their places', () => {
    expect(readTextRegistration(body)).toEqual({
      ok: true,
      value: {
        assetId: ASSET,
        wordCount: 10,
        chunkCount: 2,
        isCertified: false,
        places: [
          { index: 0, start: 0, extent: 5 },
          { index: 1, start: 5, extent: 5 },
        ],
        vectors: Uint8Array.from({ length: 64 }, (_, i) => (i < 32 ? 255 : 0)),
      },
    })
  })

  it('keeps the vectors of the chunks that count', () => {
    const outside = { ...chunk, index: 1, start: 10 }
    const last = { ...chunk, index: 2, start: 7, values: MINUS }
    expect(read({ chunks: [outside, chunk, last] })).toMatchObject({
      value: {
        chunkCount: 3,
        places: [
          { index: 0, start: 0, extent: 5 },
          { index: 2, start: 7, extent: 3 },
        ],
        vectors: Uint8Array.from({ length: 64 }, (_, i) => (i < 32 ? 255 : 0)),
      },
    })
  })

  it('is certified if its id is the hash of all that was sent', () => {
    const packed = new Uint8Array(32).fill(255)
    const asset_id = textIdOf(10, [{ index: 0, start: 0, words: 5, packed }])
    expect(read({ asset_id, chunks: [chunk] })).toMatchObject({ value: { isCertified: true } })
    expect(read({ asset_id, chunks: [chunk, chunk] })).toMatchObject({ value: { isCertified: false } })
    expect(read({ asset_id, chunks: [chunk], word_count: 11 })).toMatchObject({ value: { isCertified: false } })
  })

  it.each(['text', 'title', 'body', 'content'])('with %s is refused first, whatever it holds', (key) => {
    for (const value of ['prose', '', null]) {
      expect(readTextRegistration({ [key]: value })).toEqual(refused({ reason: 'prose', key }))
    }
  })

  it('may inherit such a member: only its own are sent', () => {
    expect(readTextRegistration(Object.assign(Object.create({ text: 'x' }), body)).ok).toBe(true)
  })

  it.each([null, undefined, 5, 'text', [], [body], {}])('is not %j', (value) => {
    expect(readTextRegistration(value)).toEqual(invalid('asset_id must be text- and 32 lowercase hex characters'))
  })

  it.each<[object, string]>([
    [{ asset_id: 'x' }, 'asset_id must be text- and 32 lowercase hex characters'],
    [{ asset_id: [ASSET] }, 'asset_id must be text- and 32 lowercase hex characters'],
    [{ chunks: [] }, 'chunks must be a non-empty array'],
    [{ chunks: { length: 1 } }, 'chunks must be a non-empty array'],
    [{ word_count: 4 }, 'word_count must be an integer of at least 5'],
    [{ word_count: 5.5 }, 'word_count must be an integer of at least 5'],
    [{ word_count: '5' }, 'word_count must be an integer of at least 5'],
  ])('with %j is refused', (changed, fault) => {
    expect(read(changed)).toEqual(invalid(fault))
  })

  it('has words enough from five on', () => {
    expect(read({ word_count: 5 }).ok).toBe(true)
  })

  it('has at most 5,000 chunks', () => {
    const nothing = { chunks: Array<null>(5_001).fill(null), word_count: 0 }
    expect(read(nothing)).toEqual(refused({ reason: 'too_many_chunks' }))
    const all = Array.from({ length: 5_000 }, () => chunk)
    expect(read({ chunks: all })).toMatchObject({ value: { chunkCount: 5_000 } })
  })

  it.each<[unknown, string]>([
    [null, 'chunks.1 must be an object'],
    [[], 'chunks.1 must be an object'],
    ['x', 'chunks.1 must be an object'],
  ])('has no chunk that is %j', (other, fault) => {
    expect(read({ chunks: [chunk, other] })).toEqual(invalid(fault))
  })

  it.each<[object, string]>([
    [{ values: 'x' }, 'chunks.1.values must be an array'],
    [{ values: PLUS.slice(1) }, 'chunks.1.values must have exactly 256 entries'],
    [{ values: [...PLUS, 1] }, 'chunks.1.values must have exactly 256 entries'],
    [{ values: PLUS.with(255, 0) }, 'chunks.1.values must hold 1 and -1 alone'],
    [{ index: -1 }, 'chunks.1.index must be a non-negative integer'],
    [{ index: '1' }, 'chunks.1.index must be a non-negative integer'],
    [{ start: -1 }, 'chunks.1.start must be a non-negative integer'],
    [{ start: undefined }, 'chunks.1.start must be a non-negative integer'],
    [{ words: 0 }, 'chunks.1.words must be a positive integer'],
    [{ words: 0.5 }, 'chunks.1.words must be a positive integer'],
  ])('has no chunk with one of another form', (changed, fault) => {
    expect(readChunk(changed)).toEqual(invalid(fault))
  })

  it('has its vectors checked before its places', () => {
    const chunks = [
      { ...chunk, start: -1 },
      { ...chunk, index: -1 },
    ]
    expect(read({ chunks })).toEqual(invalid('chunks.1.index must be a non-negative integer'))
  })

  it('may have a chunk of one word', () => {
    expect(readChunk({ words: 1 }).ok).toBe(true)
  })
})

describe('a query', () => {
  const query = { vectors: [PLUS, MINUS], word_count: 1, chunk_count: 1 }
  const read = (changed: object) => readTextQuery({ ...query, ...changed })

  it('is read as packed vectors', () => {
    expect(readTextQuery(query)).toEqual({
      ok: true,
      value: { vectors: Uint8Array.from({ length: 64 }, (_, i) => (i < 32 ? 255 : 0)) },
    })
  })

  it('with prose is refused first', () => {
    expect(readTextQuery({ title: '' })).toEqual(refused({ reason: 'prose', key: 'title' }))
  })

  it.each([null, 'x', [], {}, { vectors: [] }, { vectors: { length: 1 } }])(
    'without vectors is refused: %j',
    (value) => {
      expect(readTextQuery(value)).toEqual(refused({ reason: 'no_vectors' }))
    },
  )

  it('has at most 100 vectors', () => {
    expect(read({ vectors: Array<number[]>(100).fill(PLUS) }).ok).toBe(true)
    expect(read({ vectors: Array<null>(101).fill(null) })).toEqual(refused({ reason: 'too_many_vectors' }))
  })

  it.each<[object, string]>([
    [{ vectors: [PLUS, 'x'] }, 'vectors.1 must be an array'],
    [{ vectors: [PLUS, [1]] }, 'vectors.1 must have exactly 256 entries'],
    [{ vectors: [PLUS.with(0, 2)] }, 'vectors.0 must hold 1 and -1 alone'],
    [{ word_count: 0 }, 'word_count must be a positive integer'],
    [{ chunk_count: 0 }, 'chunk_count must be a positive integer'],
    [{ chunk_count: 1.5 }, 'chunk_count must be a positive integer'],
  ])('has nothing of another form', (changed, fault) => {
    expect(read(changed)).toEqual(invalid(fault))
  })
})
