import { describe, expect, it } from 'vitest'
import { CACHE_MS, overdue } from './block-cache.ts'

const NOW = 1_790_000_000_000
const block = (key: string, age: number, bytes = 10) => ({ key, bytes, uploadedAt: NOW - age })

describe('overdue', () => {
  it('returns blocks older than a week and no others', () => {
    const blocks = [
      block('young', 0),
      block('old', CACHE_MS + 1),
      block('exactly', CACHE_MS),
      block('ancient', 9 * CACHE_MS),
    ]
    expect(overdue(blocks, NOW)).toEqual(['ancient', 'old'])
  })

  it('returns the oldest until the rest fits', () => {
    const blocks = [block('a', 3), block('b', 2), block('c', 1)]
    expect(overdue(blocks, NOW, { bytes: 30, blocks: 10 })).toEqual([])
    expect(overdue(blocks, NOW, { bytes: 29, blocks: 10 })).toEqual(['a'])
    expect(overdue(blocks, NOW, { bytes: 10, blocks: 10 })).toEqual(['a', 'b'])
    expect(overdue(blocks, NOW, { bytes: 0, blocks: 10 })).toEqual(['a', 'b', 'c'])
  })

  it('returns nothing for an empty cache', () => {
    expect(overdue([], NOW)).toEqual([])
  })
})
