import { expect, it } from 'vitest'
import { hashOf } from './hash-of.ts'

it('is SHA3-384 in lowercase hex', async () => {
  expect(await hashOf(new TextEncoder().encode('hello'))).toBe(
    '720aea11019ef06440fbf05d87aa24680a2153df3907b23631e7177ce620fa1330ff07c0fddee54699a4c3ee0ee9d887',
  )
})
