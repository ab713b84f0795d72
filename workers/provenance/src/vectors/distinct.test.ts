import { expect, it } from 'vitest'
import { distinctVectors, NEAR_DISTANCE } from './distinct.ts'

const randomVector = () => crypto.getRandomValues(new Uint8Array(32))
function packed(vectors: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(vectors.length * 32)
  for (const [i, vector] of vectors.entries()) bytes.set(vector, i * 32)
  return bytes
}
/** With so many values changed, spread over the whole vector. */
function differing(vector: Uint8Array, values: number): Uint8Array {
  const copy = vector.slice()
  for (let i = 0; i < values; i++) copy[(i * 4) % 32]! ^= 1 << Math.floor(i / 8)
  return copy
}

it('keeps different vectors in their order', () => {
  const vectors = packed(Array.from({ length: 200 }, randomVector))
  expect(distinctVectors(vectors)).toEqual(vectors)
  expect(distinctVectors(new Uint8Array())).toEqual(new Uint8Array())
})

it('keeps the first of those that are equal or near, and no other', () => {
  const [one, two] = [randomVector(), randomVector()]
  const near = [0, 1, 3, NEAR_DISTANCE].map((values) => differing(one, values))
  const far = differing(two, NEAR_DISTANCE + 1)
  expect(distinctVectors(packed([one, two, ...near, ...near, far, two]))).toEqual(packed([one, two, far]))
})
