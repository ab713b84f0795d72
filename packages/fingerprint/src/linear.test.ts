import { afterEach, describe, expect, it, vi } from 'vitest'
import { fold } from './text/folding.ts'
import { segmentStarts } from './text/segments.ts'
import { splitWords, type Words } from './text/words.ts'

const SIZES = [500, 1000, 2000, 4000]
/** Also those that are letters until they are normalized. */
const RUNS_OF_MARKS = /[\p{M}\uff9e\uff9f]+/gu

afterEach(() => vi.restoreAllMocks())

/** Work that is counted, so that a busy machine cannot change the result. */
interface Work {
  /** Characters passed to normalization. */
  normalized: number
  /** The longest run of marks among them: normalization sorts each run, in quadratic time. */
  longestRun: number
  /** Characters read one by one. */
  read: number
}

function workOf(text: string): Work {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  const reads = [vi.spyOn(String.prototype, 'codePointAt'), vi.spyOn(String.prototype, 'charCodeAt')]
  splitWords(fold(text), Number.POSITIVE_INFINITY)
  const normalized = normalize.mock.contexts.map(String)
  const read = reads.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  vi.restoreAllMocks()
  const runs = normalized.flatMap((one) => Array.from(one.matchAll(RUNS_OF_MARKS), ([run]) => Array.from(run).length))
  return { normalized: normalized.join('').length, longestRun: Math.max(0, ...runs), read }
}

describe('the work on a text grows with its length', () => {
  it.each([
    ['marks in an order that must be sorted', '\u0e38\u3099'],
    ['half-width marks', '\u0e38\uff9e'],
    ['marks that decompose into three', '\u0f77\u0f71'],
    ['accents', '\u0315\u0300'],
    ['first halves of surrogate pairs', '\ud800'],
    ['second halves of surrogate pairs', '\udc00'],
    ['halves of surrogate pairs, kept apart', '\udb40\u200b\udc01\u200b'],
    ['a letter that stands for 18', '\ufdfa'],
    ['invisible characters', '\0\u2800\u200b'],
    ['look-alikes', 'аᴀα'],
    ['Han variants', '發髮'],
    ['one word', 'a'],
  ])('%s', (_, unit) => {
    for (const size of SIZES) {
      const text = `a${unit.repeat(size)}`
      const { normalized, longestRun, read } = workOf(text)
      expect(longestRun).toBeLessThanOrEqual(8)
      // Twice, the second time after a decomposition to at most 18 characters each.
      expect(normalized).toBeLessThanOrEqual((1 + 18) * text.length)
      expect(read).toBeLessThanOrEqual(2 * 18 * text.length)
    }
  })
})

describe('the work of cutting grows with the number of words', () => {
  it.each([
    ['a repeated word', 'spam '],
    ['repeated ideographs', '漢'],
    ['repeated Thai characters', 'ก'],
    ['two words in turn', 'a b '],
  ])('%s', (_, unit) => {
    for (const size of SIZES) {
      const words = splitWords(unit.repeat(size), Number.POSITIVE_INFINITY)
      let reads = 0
      const position = new Proxy(words.position, {
        get(target, key) {
          reads += 1
          return target[Number(key)]
        },
      })
      segmentStarts({ ...words, position } satisfies Words, new Uint8Array(words.count))
      // A cut reads at most 60 words, twice each, and advances by at least 5.
      expect(reads).toBeLessThanOrEqual(40 * words.count)
    }
  })
})
