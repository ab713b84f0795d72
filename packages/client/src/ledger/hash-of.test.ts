import { expect, it } from 'vitest'
import { hashOf, hashOfBlob } from './hash-of.ts'

const HELLO = '720aea11019ef06440fbf05d87aa24680a2153df3907b23631e7177ce620fa1330ff07c0fddee54699a4c3ee0ee9d887'

it('is SHA3-384 in lowercase hex', async () => {
  expect(await hashOf(new TextEncoder().encode('hello'))).toBe(HELLO)
})

it('of a blob is the same, in pieces, with progress in bytes', async () => {
  expect(await hashOfBlob(new Blob(['hello']))).toBe(HELLO)
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at & 255)
  const told: number[] = []
  const hash = await hashOfBlob(new Blob([bytes]), {
    onProgress: ({ done, total }) => {
      expect(total).toBe(bytes.length)
      told.push(done)
    },
  })
  expect(hash).toBe(await hashOf(bytes))
  expect(told[0]).toBe(0)
  expect(told.at(-1)).toBe(bytes.length)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
})

it('of a blob ends with the signal', async () => {
  const hashing = hashOfBlob(new Blob(['hello']), { signal: AbortSignal.abort() })
  await expect(hashing).rejects.toThrow(DOMException)
})
