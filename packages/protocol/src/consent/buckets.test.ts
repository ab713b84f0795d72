import { describe, expect, it } from 'vitest'
import { bucketSchema, CONSENT_BUCKETS, consentBucketOf } from './buckets.ts'

describe('consentBucketOf', () => {
  it('spreads identifiers that differ in their last characters', () => {
    const counts = Array<number>(CONSENT_BUCKETS).fill(0)
    for (let i = 0; i < 20_480; i++) counts[consentBucketOf(`sha3-384:${i.toString(16).padStart(96, '0')}`)]! += 1
    // Twenty each: five standard deviations are 22.
    for (const count of counts) expect(Math.abs(count - 20)).toBeLessThan(23)
  })

  it('is a bucket', () => {
    for (let i = 0; i < 1_000; i++) expect(bucketSchema.safeParse(consentBucketOf(String(i))).success).toBe(true)
    for (const not of [-1, 1_024, 0.5]) expect(bucketSchema.safeParse(not).success).toBe(false)
  })
})
