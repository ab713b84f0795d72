import { describe, expect, it } from 'vitest'
import { MAX_SEGMENT_MASS, segmentStarts } from './segments.ts'
import { splitWords } from './words.ts'

function startsOf(text: string): number[] {
  const words = splitWords(text, Number.POSITIVE_INFINITY)
  return segmentStarts(words, new Uint8Array(words.count))
}
const named = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ')

describe('segmentStarts', () => {
  it('begins with the first word and ends after the last', () => {
    const starts = startsOf(named(500))
    expect(starts[0]).toBe(0)
    expect(starts.at(-1)).toBe(500)
  })

  it('cuts segments of 5 to 15 words, except the first and last', () => {
    const starts = startsOf(named(5000))
    const lengths = starts.slice(1).map((start, i) => start - starts[i]!)
    for (const length of lengths.slice(1, -1)) {
      expect(length).toBeGreaterThanOrEqual(5)
      expect(6 * length).toBeLessThanOrEqual(MAX_SEGMENT_MASS)
    }
  })

  it('also cuts a text that repeats itself', () => {
    expect(startsOf('spam '.repeat(100))).toEqual([...Array.from({ length: 18 }, (_, i) => 5 * i), 100])
  })

  it('keeps the boundaries after a change', () => {
    const before = startsOf(`${'x '.repeat(57)}${named(400)}`).filter((start) => start > 120)
    const after = startsOf(`y ${'x '.repeat(57)}${named(400)}`).filter((start) => start > 121)
    expect(after.map((start) => start - 1)).toEqual(before)
  })
})
