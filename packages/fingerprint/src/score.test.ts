import { describe, expect, it } from 'vitest'
import { matchChunks, scoreTexts } from './score.ts'

const spans = (...bounds: [number, number][]) => bounds.map(([wordStart, wordEnd]) => ({ wordStart, wordEnd }))
const differing = (bits: number) => {
  const vector = new Uint8Array(32)
  for (let bit = 0; bit < bits; bit++) vector[bit >> 3]! |= 1 << (bit & 7)
  return vector
}

describe('matchChunks', () => {
  it('pairs each chunk with the nearest one, the first of equals', () => {
    const pairs = matchChunks([differing(0), differing(30)], [differing(25), differing(2), differing(2)])
    expect(pairs).toEqual([
      { left: 0, right: 1, distance: 2 },
      { left: 1, right: 0, distance: 5 },
    ])
  })

  it('pairs at distance 76 and not at 77', () => {
    expect(matchChunks([differing(0)], [differing(76)])).toEqual([{ left: 0, right: 0, distance: 76 }])
    expect(matchChunks([differing(0)], [differing(77)])).toEqual([])
    expect(matchChunks([differing(0)], [differing(77)], 77)).toHaveLength(1)
    expect(matchChunks([], [differing(0)])).toEqual([])
  })
})

describe('scoreTexts', () => {
  const excerpt = { wordCount: 30, spans: spans([0, 30]) }
  const book = { wordCount: 1000, spans: spans([0, 40], [20, 60], [100, 150]) }

  it('scores an excerpt 1 and reports its share of the whole', () => {
    expect(scoreTexts(excerpt, book, [{ left: 0, right: 1, distance: 50 }])).toEqual({
      score: 1,
      leftContainment: 1,
      rightContainment: 0.04,
      leftSpans: spans([0, 30]),
      rightSpans: spans([20, 60]),
    })
  })

  it('counts words in several matched chunks once', () => {
    const pairs = [2, 1, 0].map((right) => ({ left: 0, right, distance: 10 }))
    expect(scoreTexts(excerpt, book, pairs)).toMatchObject({
      rightSpans: spans([0, 60], [100, 150]),
      rightContainment: 0.11,
    })
  })

  it('scores texts without a match 0', () => {
    expect(scoreTexts(excerpt, book, [])).toEqual({
      score: 0,
      leftContainment: 0,
      rightContainment: 0,
      leftSpans: [],
      rightSpans: [],
    })
  })

  it('refuses a pair with a chunk that does not exist', () => {
    expect(() => scoreTexts(excerpt, book, [{ left: 0, right: 3, distance: 1 }])).toThrow(
      new RangeError('chunk 3 does not exist'),
    )
  })
})
