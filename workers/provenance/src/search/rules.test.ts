import { describe, expect, it } from 'vitest'
import {
  byRank,
  type Candidate,
  candidatesOf,
  fewOfEach,
  MAX_OF_REGISTRANT,
  type SearchKind,
  similarityOf,
} from './rules.ts'

/** 256 signs, the first `n` of them flipped. */
function vectorOf(flipped: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, byte) => {
    const bits = Math.max(0, Math.min(8, flipped - 8 * byte))
    return (0xff << (8 - bits)) & 0xff
  })
}
const QUERY = [vectorOf(0)]
const asset = (distance: number, words: number | null): Candidate => ({
  places: [{ index: 0, start: 10, extent: 5 }],
  vectors: [vectorOf(distance)],
  words,
})

describe('the score of an asset', () => {
  it.each<[SearchKind, number | null, number]>([
    ['text', 20, 76],
    ['semantic', null, 80],
    ['fragment', null, 64],
    ['video', null, 64],
    ['video-fragment', null, 64],
  ])('of %s is none where no vector of it is near enough, whatever an index said', (kind, words, maxDistance) => {
    expect(similarityOf(kind, QUERY, asset(maxDistance + 1, words))).toBeNull()
    expect(similarityOf(kind, QUERY, asset(256, words))).toBeNull()
    expect(similarityOf(kind, QUERY, { places: [], vectors: [], words })).toBeNull()
    expect(similarityOf(kind, QUERY, asset(maxDistance, words))).toMatchObject({
      queryContainment: 1,
      pairs: [{ left: 0, right: 0, distance: maxDistance }],
    })
  })

  it('is of both containments what its kind asks for', () => {
    const long = { places: [0, 5, 10, 15].map((start, index) => ({ index, start, extent: 5 })), words: 20 }
    const vectors = [vectorOf(8), vectorOf(256), vectorOf(256), vectorOf(256)]
    const query = [vectorOf(0), vectorOf(128)]
    const scoreOf = (kind: SearchKind) => similarityOf(kind, query, { ...long, vectors })
    expect(scoreOf('text')).toMatchObject({ score: 0.5, queryContainment: 0.5, assetContainment: 0.25 })
    expect(scoreOf('video')?.score).toBe(0.25)
    expect(scoreOf('fragment')?.score).toBe(0.5)
    expect(scoreOf('video-fragment')?.score).toBe(0.5)
    expect(scoreOf('semantic')?.score).toBe(1 - 8 / 256)
    expect(scoreOf('text')?.spans).toEqual([{ wordStart: 0, wordEnd: 5 }])
    expect(similarityOf('video', query, { ...long, words: null, vectors })?.spans).toEqual([
      { wordStart: 0, wordEnd: 1 },
    ])
  })

  it('of a semantic search is that of its nearest vector', () => {
    const places = [0, 5].map((start, index) => ({ index, start, extent: 5 }))
    const two = { places, vectors: [vectorOf(64), vectorOf(16)], words: null }
    expect(similarityOf('semantic', [vectorOf(0), vectorOf(80)], two)?.score).toBe(1 - 16 / 256)
  })
})

describe('what is looked at', () => {
  it('is where most of the query was found, then what is nearest, and at most twenty', () => {
    const found = [
      [
        { set: 1, distance: 3 },
        { set: 2, distance: 1 },
        { set: 1, distance: 9 },
      ],
      [
        { set: 1, distance: 5 },
        { set: 3, distance: 2 },
      ],
    ]
    expect(candidatesOf(found, 'video')).toEqual([1, 2, 3])
    expect(candidatesOf([Array.from({ length: 30 }, (_, set) => ({ set, distance: 30 - set }))], 'video')).toEqual(
      Array.from({ length: 20 }, (_, i) => 29 - i),
    )
    expect(candidatesOf([], 'video')).toEqual([])
  })

  it('is by the nearest vector of each, wherever it was found', () => {
    const [near, far, between] = [1, 9, 5].map((distance) => ({ set: 8, distance }))
    const other = { set: 4, distance: 3 }
    for (const of8 of [
      [near!, far!],
      [far!, near!],
    ]) {
      expect(candidatesOf([[...of8, other]], 'video')).toEqual([8, 4])
      expect(candidatesOf([[...of8], [between!], [other], [other]], 'video')).toEqual([8, 4])
      expect(candidatesOf([[between!], [...of8], [other], [other]], 'video')).toEqual([8, 4])
    }
  })

  it('is of texts where most of the query was found, then what is oldest', () => {
    const copies = Array.from({ length: 500 }, (_, i) => ({ set: 500 - i, distance: i % 7 }))
    const ids = candidatesOf([copies, [{ set: 77, distance: 9 }]], 'text')
    expect(ids.slice(0, 4)).toEqual([77, 1, 2, 3])
    expect(ids).toHaveLength(400)
  })

  it('is of texts at most a few of one registrant', () => {
    const texts = Array.from({ length: 200 }, (_, id) => ({ id, registrant: id < 100 ? 'one' : `other${id % 30}` }))
    const few = fewOfEach(texts)
    expect(few.filter(({ registrant }) => registrant === 'one').map(({ id }) => id)).toEqual([0, 1, 2])
    expect(few).toHaveLength(20)
    expect(MAX_OF_REGISTRANT).toBe(3)
  })
})

describe('the order of matches', () => {
  const match = { score: 0.5, queryContainment: 0.5, isPadded: false, row: { id: 5 } }

  it.each([
    ['the higher score', { score: 0.6, queryContainment: 0, isPadded: true, row: { id: 9 } }],
    ['of equal scores, more of the query', { queryContainment: 0.6, isPadded: true, row: { id: 9 } }],
    ['of equal ones, what is not padded', { row: { id: 9 } }],
    ['of all equal, the oldest', { isPadded: true, row: { id: 4 } }],
  ])('has %s first', (_, better) => {
    const worse = { ...match, isPadded: true }
    expect(byRank({ ...match, ...better }, worse)).toBeLessThan(0)
    expect(byRank(worse, { ...match, ...better })).toBeGreaterThan(0)
  })

  it('leaves the same match where it is', () => {
    expect(byRank(match, match)).toBe(0)
  })
})
