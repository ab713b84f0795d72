import { describe, expect, it } from 'vitest'
import { bucketOf } from '../base/buckets.ts'
import { bucketSchema, CONSENT_BUCKETS } from './buckets.ts'

describe('bucketOf', () => {
  it('is what an independent implementation computes', () => {
    expect(Array.from({ length: 8 }, (_, i) => bucketOf(`identifier 00000${i}`))).toEqual([
      752, 926, 516, 735, 266, 834, 307, 728,
    ])
    expect(bucketOf(`sha3-384:${'a7'.repeat(48)}`)).toBe(16)
    expect(bucketOf('nobody has declared this')).toBe(1012)
    expect(bucketOf('x'.repeat(256))).toBe(503)
  })

  it('hashes UTF-8, whatever the plane', () => {
    expect(['é'.repeat(16), '😀'.repeat(16), '\uffff'.repeat(256)].map(bucketOf)).toEqual([731, 599, 494])
  })

  it('spreads identifiers that differ in their last characters', () => {
    const counts = Array<number>(CONSENT_BUCKETS).fill(0)
    for (let i = 0; i < 102_400; i++) counts[bucketOf(`sha3-384:${i.toString(16).padStart(96, '0')}`)]! += 1
    // A hundred each: five standard deviations are fifty.
    for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(50)
  })

  it('is a bucket', () => {
    for (let i = 0; i < 1_000; i++) expect(bucketSchema.safeParse(bucketOf(String(i))).success).toBe(true)
    for (const not of [-1, 1_024, 0.5]) expect(bucketSchema.safeParse(not).success).toBe(false)
  })
})
