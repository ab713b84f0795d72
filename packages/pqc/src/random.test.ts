import { expect, it } from 'vitest'
import { randomSeed } from './random.ts'

it('returns different random bytes of the requested length', () => {
  const [a, b] = [randomSeed(32), randomSeed(32)]
  expect([a.length, b.length, randomSeed(64).length]).toEqual([32, 32, 64])
  expect(a).not.toEqual(b)
  expect(a).not.toEqual(new Uint8Array(32))
})

it.each([0, -1, 1.5, Number.NaN, '32'])('refuses a length of %s', (length) => {
  expect(() => randomSeed(length as number)).toThrow(
    new TypeError(`randomSeed byteLength: expected a positive integer, got ${length}`),
  )
})
