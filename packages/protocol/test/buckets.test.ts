/** Buckets against arithmetic on arbitrary-precision integers, written from the definitions. */
import { expect, it } from 'vitest'
import { bucketOf } from '../src/base/buckets.ts'

const WORD = 2n ** 32n

function bucket(text: string): number {
  let h = 2166136261n
  for (const byte of Buffer.from(text, 'utf8')) h = ((h ^ BigInt(byte)) * 16777619n) % WORD
  h = ((h ^ (h / 2n ** 16n)) * 2246822507n) % WORD
  h = ((h ^ (h / 2n ** 13n)) * 3266489909n) % WORD
  return Number((h ^ (h / 2n ** 16n)) / 2n ** 22n)
}

it('agree on two thousand identifiers of all lengths and planes', () => {
  const letters = ['a', '7', ':', 'é', 'ß', '漢', '\uffff', '😀', '𝒳']
  for (let i = 0; i < 2_000; i++) {
    const text = `${i}`.padEnd(16 + (i % 241), letters[i % letters.length])
    expect(bucketOf(text), text).toBe(bucket(text))
  }
})
