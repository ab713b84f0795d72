import { expect, it } from 'vitest'
import { fingerprintText } from './fingerprint.ts'
import { toTextQuery, toTextRegistration } from './wire.ts'

const fingerprint = fingerprintText(Array.from({ length: 120 }, (_, i) => `word${i}`).join(' '))

it('registers chunks with their index, word offset and number of words', () => {
  const { word_count, chunks } = toTextRegistration(fingerprint)
  expect(word_count).toBe(120)
  expect(chunks.length).toBeGreaterThan(2)
  chunks.forEach((chunk, index) => {
    const { values, wordStart, wordEnd } = fingerprint.chunks[index]!
    expect(chunk).toEqual({ index, values, start: wordStart, words: wordEnd - wordStart })
  })
})

it('queries with bare vectors under their wire names, in plain JSON', () => {
  const query = toTextQuery(fingerprint)
  expect(Object.keys(query)).toEqual(['vectors', 'word_count', 'chunk_count'])
  expect(query.vectors).toHaveLength(query.chunk_count)
  expect(JSON.parse(JSON.stringify(query))).toEqual(query)
})
