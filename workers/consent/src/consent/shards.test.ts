import { bucketOf } from '@svc/protocol/consent/buckets'
import { describe, expect, it } from 'vitest'
import { shardOf, shardOfBucket } from './shards.ts'

describe('shardOf', () => {
  it('is the only one where there is one', () => {
    expect(['a', 'b', '😀'].map((hash) => shardOf(hash, 1))).toEqual([0, 0, 0])
  })

  it('follows from the bucket alone', () => {
    for (const shards of [1, 2, 3, 8, 1_024]) {
      for (let i = 0; i < 100; i++) {
        const hash = `identifier ${i}`
        expect(shardOf(hash, shards)).toBe(shardOfBucket(bucketOf(hash), shards))
      }
    }
  })

  it('gives each of eight databases a range of 128 buckets', () => {
    for (let bucket = 0; bucket < 1_024; bucket++) expect(shardOfBucket(bucket, 8)).toBe(bucket >> 7)
  })
})
