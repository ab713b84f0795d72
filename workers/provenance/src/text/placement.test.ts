import { fingerprintText, toTextRegistration } from '@svc/fingerprint'
import { expect, it } from 'vitest'
import { countedChunks, MAX_OVERLAP } from './placement.ts'

const placesOf = (spans: readonly (readonly [start: number, extent: number])[]) =>
  spans.map(([start, extent], index) => ({ index, start, extent }))
const counted = (spans: readonly (readonly [number, number])[], wordCount: number) =>
  countedChunks(placesOf(spans), wordCount).map(({ at, place }) => [at, place.start, place.extent])

it('chunks within the text count as they are, in their order', () => {
  const spans = [
    [40, 10],
    [0, 20],
    [10, 40],
  ] as const
  expect(counted(spans, 50)).toEqual(spans.map(([start, extent], at) => [at, start, extent]))
})

it('chunks are cut at the end of the text, and those beyond it do not count', () => {
  const far = Number.MAX_SAFE_INTEGER
  const spans = [
    [0, 1_000_000],
    [4, far],
    [5, 1],
    [far, far],
  ] as const
  expect(counted(spans, 5)).toEqual([
    [0, 0, 5],
    [1, 4, 1],
  ])
})

it('no word is in more chunks than the bound, and later chunks count again where the first have ended', () => {
  const same = Array.from({ length: 60 }, () => [3, 10] as const)
  expect(counted(same, 100).map(([at]) => at)).toEqual([0, 1, 2, 3])
  expect(counted([...same, [12, 5], [13, 5]], 100).map(([at]) => at)).toEqual([0, 1, 2, 3, 61])
  const random = Array.from({ length: 500 }, (_, i) => [(i * 7_919) % 1_000, 1 + ((i * 104_729) % 90)] as const)
  const kept = countedChunks(placesOf(random), 1_000)
  for (let word = 0; word < 1_000; word++) {
    const over = kept.filter(({ place }) => place.start <= word && word < place.start + place.extent)
    expect(over.length).toBeLessThanOrEqual(MAX_OVERLAP)
  }
})

it('every chunk of a fingerprint counts', () => {
  const text = Array.from({ length: 3_000 }, (_, i) => `word${(i * 31) % 977}`).join(' ')
  const { chunks, word_count: wordCount } = toTextRegistration(fingerprintText(text))
  const places = chunks.map(({ index, start, words }) => ({ index, start, extent: words }))
  expect(countedChunks(places, wordCount).map(({ place }) => place)).toEqual(places)
})
