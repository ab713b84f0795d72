import { expect, it } from 'vitest'
import { fingerprintText } from './fingerprint.ts'
import { GOLDEN } from './golden.fixture.ts'
import { packVector } from './vector.ts'

const hexOf = (values: readonly number[]) =>
  Array.from(packVector(values), (byte) => byte.toString(16).padStart(2, '0')).join('')

it.each(GOLDEN)('returns the golden vectors of $name', ({ text, wordCount, chunks }) => {
  const fingerprint = fingerprintText(text)
  expect(fingerprint.wordCount).toBe(wordCount)
  expect(fingerprint.chunks.map(({ values, wordStart, wordEnd }) => [wordStart, wordEnd, hexOf(values)])).toEqual(
    chunks,
  )
})
