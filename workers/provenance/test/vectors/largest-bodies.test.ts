import { VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { excessOf } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { registerImage, registerVideo } from '../../src/capsules/routes.ts'
import { searchFragment, searchSemantic, searchVideo, searchVideoFragment } from '../../src/search/routes.ts'
import { queryText, registerText } from '../../src/text/routes.ts'

const vector = Array<number>(256).fill(-1)
const times = <T>(count: number, item: T) => Array<T>(count).fill(item)
const { text, semantic, fragment, video } = VECTOR_RULES
const frame = { at_ms: 2_678_400_000, values: vector }
const vectors = {
  semantic: times(semantic.maxVectors, vector),
  fragment: times(fragment.maxVectors, vector),
  video: times(video.maxVectors, frame),
}
const capsule = { statement: times(64, 'f'.repeat(100)), block: { key: 'A'.repeat(2_604) } }

/** Every vector has the longest form of its values. */
describe('the largest bodies are within the budgets of their routes', () => {
  it.each([
    ['a text of 5,000 chunks', registerText, { chunks: times(text.maxVectors, chunkWith(5)) }],
    ['a text query', queryText, { vectors: times(text.maxQueryVectors, vector), word_count: 1, chunk_count: 1 }],
    ['a search of images', searchSemantic, { vectors: times(semantic.maxQueryVectors, vector), limit: 20 }],
    ['a search of fragments', searchFragment, { vectors: times(fragment.maxQueryVectors, vector), limit: 20 }],
    ['a search of videos', searchVideo, { vectors: times(video.maxQueryVectors, vector), limit: 20 }],
    ['a search of clips', searchVideoFragment, { vectors: times(video.maxQueryVectors, vector), limit: 20 }],
  ])('%s', (_, operation, body) => {
    expect(excessOf(operation, body)).toBeNull()
  })

  it.each([registerImage, registerVideo])('a capsule for $path with every vector', (operation) => {
    // With 1 and -1 in turn: a capsule has room for fewer of the longest form.
    const mixed = JSON.parse(JSON.stringify({ ...capsule, vectors }).replaceAll('-1,-1', '1,-1')) as unknown
    expect(excessOf(operation, mixed)).toBeNull()
  })

  it('and more chunks than a text can have are not', () => {
    expect(excessOf(registerText, { chunks: times(5_200, chunkWith(5)) })).toBe('values')
    expect(excessOf(queryText, { vectors: times(130, vector) })).toBe('values')
  })
})

function chunkWith(words: number) {
  return { index: 4_999, start: 99_999_999, words, values: vector }
}
