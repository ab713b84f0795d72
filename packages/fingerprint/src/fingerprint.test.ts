import { describe, expect, it } from 'vitest'
import { type Chunk, fingerprintText, MAX_CHUNKS } from './fingerprint.ts'
import { MATCH_DISTANCE } from './score.ts'
import { hammingDistance, packVector } from './vector.ts'

const PARAGRAPH =
  'The harbour froze early that winter, and the ferries lay two deep along the northern quay. Every morning the pilot walked the length of the breakwater with a lantern and a notebook, wrote down the thickness of the ice, and came back to the office to telephone the figures to the capital. Nobody had asked for them since the railway opened, but the form still had a line for ice, and he had never left a line of a form empty. In March a young engineer arrived from the ministry, read nine years of figures in an afternoon, and asked whether he might borrow the lantern.'
const words = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const keyOf = ({ values }: Chunk) => values.join()
const nearest = (left: string, right: string) => {
  const packed = (text: string) => fingerprintText(text).chunks.map(({ values }) => packVector(values))
  return Math.min(...packed(left).flatMap((a) => packed(right).map((b) => hammingDistance(a, b))))
}

describe('fingerprintText', () => {
  it('returns 256 values of 1 or -1 for each chunk, about half of each', () => {
    const { chunks, chunkCount, wordCount } = fingerprintText(PARAGRAPH)
    expect(wordCount).toBe(106)
    expect(chunks).toHaveLength(chunkCount)
    for (const { values } of chunks) {
      expect(values).toHaveLength(256)
      expect(new Set(values)).toEqual(new Set([1, -1]))
      const ones = values.filter((value) => value === 1).length
      expect(ones).toBeGreaterThan(90)
      expect(ones).toBeLessThan(166)
    }
  })

  it('covers every word with overlapping chunks', () => {
    const { chunks, wordCount } = fingerprintText(words(2000, 'w').join(' '))
    expect(chunks[0]?.wordStart).toBe(0)
    expect(chunks.at(-1)?.wordEnd).toBe(wordCount)
    chunks.slice(1).forEach((chunk, i) => {
      expect(chunk.wordStart).toBeGreaterThan(chunks[i]!.wordStart)
      expect(chunk.wordStart).toBeLessThan(chunks[i]!.wordEnd)
      expect(chunk.wordEnd - chunk.wordStart).toBeLessThanOrEqual(45)
    })
    expect(wordCount / chunks.length).toBeGreaterThan(8)
    expect(wordCount / chunks.length).toBeLessThan(13)
  })

  it('finds a text with a typo in every word of five letters or more', () => {
    const typed = PARAGRAPH.replaceAll(/[a-z]{5,}/g, (word) => {
      const middle = word.length >> 1
      return `${word.slice(0, middle)}x${word.slice(middle + 1)}`
    })
    expect(nearest(PARAGRAPH, typed)).toBeLessThanOrEqual(MATCH_DISTANCE)
  })

  it.each([
    [
      'two letters swapped',
      (word: string, at: number) => `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`,
    ],
    ['a letter doubled', (word: string, at: number) => `${word.slice(0, at)}${word[at]}${word.slice(at)}`],
  ])('keeps the words of a text with %s in every long word', (_, mistype) => {
    const typed = PARAGRAPH.replaceAll(/[a-z]{6,}/g, (word) => mistype(word, 3))
    expect(typed).not.toBe(PARAGRAPH)
    expect(nearest(PARAGRAPH, typed)).toBe(0)
  })

  it('makes one chunk of a short text', () => {
    expect(fingerprintText('Pilots write the ice down')).toMatchObject({
      chunkCount: 1,
      wordCount: 5,
      chunks: [{ wordStart: 0, wordEnd: 5 }],
    })
  })

  it('changes only the chunks near an insertion and shifts the offsets of later ones', () => {
    const before = words(1000, 'w')
    const after = before.toSpliced(500, 0, 'one', 'more', 'clause')
    const old = fingerprintText(before.join(' ')).chunks
    const now = fingerprintText(after.join(' ')).chunks
    const kept = new Map(now.map((chunk) => [keyOf(chunk), chunk]))
    const lost = old.filter((chunk) => !kept.has(keyOf(chunk)))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThanOrEqual(6)
    for (const chunk of old) {
      const same = kept.get(keyOf(chunk))
      if (!same) expect(Math.abs(chunk.wordStart - 500)).toBeLessThan(100)
      else expect(same.wordStart - chunk.wordStart).toBe(chunk.wordEnd <= 500 ? 0 : 3)
    }
  })

  it('returns the same values for a chunk wherever its words occur', () => {
    const shared = words(300, 'shared')
    const one = fingerprintText([...words(200, 'before'), ...shared].join(' ')).chunks.map(keyOf)
    const other = fingerprintText([...shared, ...words(200, 'after')].join(' ')).chunks.map(keyOf)
    expect(one.filter((key) => other.includes(key)).length).toBeGreaterThan(8)
  })

  it('matches 30 words of a paragraph, but not another paragraph on the same topic', () => {
    const excerpt =
      'wrote down the thickness of the ice, and came back to the office to telephone the figures to the capital. Nobody had asked for them since the railway opened, but the form'
    const stranger =
      'The office of the pilot stands at the northern end of the quay, where the ferries come in. In winter it is closed: the ice is measured by the ministry, whose engineer reads the thickness from the breakwater every morning and sends a form to the railway. A lantern still hangs over the door, and visitors who telephone the harbour first may borrow the notebook with the figures of nine years.'
    expect(nearest(excerpt, PARAGRAPH)).toBeLessThan(60)
    expect(nearest(stranger, PARAGRAPH)).toBeGreaterThan(90)
  })

  it.each([
    ['one two three four', 4],
    ['', 0],
    ['. , — 🚢 !', 0],
  ])('refuses %j, which has fewer than 5 words', (text, count) => {
    expect(() => fingerprintText(text)).toThrow(
      new RangeError(`a fingerprint needs at least 5 words; this text has ${count}`),
    )
  })

  it('accepts 5,000 chunks and refuses one more', () => {
    // A repeated word is cut every 5 words until at most 15 remain.
    expect(fingerprintText('word '.repeat(25_020)).chunkCount).toBe(MAX_CHUNKS)
    const refusal = new RangeError('a fingerprint has at most 5000 chunks; split this text into parts')
    expect(() => fingerprintText('word '.repeat(25_021))).toThrow(refusal)
    expect(() => fingerprintText('word '.repeat(1_000_000))).toThrow(refusal)
  })
})
