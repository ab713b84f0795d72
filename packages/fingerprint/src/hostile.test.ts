import { describe, expect, it } from 'vitest'
import { fingerprintText } from './fingerprint.ts'

const MILLION = 1_000_000
const TOO_LONG = 'a fingerprint has at most 5000 chunks; split this text into parts'
const TOO_SHORT = /^a fingerprint needs at least 5 words; this text has [01]$/

/** Half a minute is ample even on a busy machine; quadratic work would take many. */
const TIMEOUT_MS = 30_000

describe('hostile text of megabytes', { timeout: TIMEOUT_MS }, () => {
  it.each<[string, () => string, string | RegExp]>([
    ['one word without end', () => 'ab'.repeat(5 * MILLION), TOO_LONG],
    ['one letter without end', () => 'a'.repeat(10 * MILLION), TOO_SHORT],
    ['ideographs without a space', () => '漢字'.repeat(5 * MILLION), TOO_LONG],
    ['lone surrogates', () => '\ud800 '.repeat(2 * MILLION), TOO_SHORT],
    ['emoji', () => '😀'.repeat(2 * MILLION), TOO_SHORT],
    ['accents that normalization would sort', () => `a${'\u0315\u0300'.repeat(MILLION)}`, TOO_SHORT],
    ['marks that normalization would sort', () => `a${'\u3099\u0e38'.repeat(MILLION)}`, TOO_SHORT],
    ['letters that normalization turns into marks and sorts', () => `a${'\u0e38\uff9e'.repeat(MILLION)}`, TOO_SHORT],
    ['a letter that stands for 18', () => '\ufdfa'.repeat(MILLION), TOO_LONG],
  ])('%s is refused', (_, text, message) => {
    expect(() => fingerprintText(text())).toThrow(message)
  })

  it('millions of zero-width characters are ignored', () => {
    const { wordCount } = fingerprintText(`${'\u200b'.repeat(10 * MILLION)}one two three four five`)
    expect(wordCount).toBe(5)
  })

  it('a repeated word costs no more than others', () => {
    expect(fingerprintText('spam '.repeat(25_000)).wordCount).toBe(25_000)
  })

  it('long runs of marks on many letters are truncated, and the words remain', () => {
    const { wordCount } = fingerprintText(`ก${'\u0e38\u0e48'.repeat(20)}`.repeat(20_000))
    expect(wordCount).toBe(20_000)
  })
})
