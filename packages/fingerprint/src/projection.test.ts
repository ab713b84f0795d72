import { describe, expect, it } from 'vitest'
import { HashSet } from './hash-set.ts'
import { Projection } from './projection.ts'

function signsOf(...features: [hash: number, weight: number][]) {
  const projection = new Projection(1000)
  for (const [hash, weight] of features) projection.add(hash, weight)
  return projection.signs()
}
const differing = (left: readonly number[], right: readonly number[]) =>
  left.filter((value, i) => value !== right[i]).length
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, i): [number, number] => [from + i, 1 + (i % 6)])

describe('a projection', () => {
  it('does not depend on the order of its features', () => {
    expect(signsOf(...many(0, 300))).toEqual(signsOf(...many(0, 300).toReversed()))
  })

  it('counts a feature once', () => {
    expect(signsOf([1, 3], [2, 2], [1, 3], [1, 3])).toEqual(signsOf([1, 3], [2, 2]))
  })

  it('applies weights: the heavier of two features decides every sign', () => {
    expect(signsOf([7, 3], [8, 2])).toEqual(signsOf([7, 1]))
  })

  it('sums to more than a one-byte counter holds', () => {
    expect(signsOf([7, 200], ...many(1000, 150).map(([hash]): [number, number] => [hash, 1]))).toEqual(signsOf([7, 1]))
  })

  it('differs in half of the signs without shared features, and in a third with half shared', () => {
    const one = signsOf(...many(0, 200))
    expect(Math.abs(differing(one, signsOf(...many(5000, 200))) - 128)).toBeLessThan(32)
    // The angle of two sums that share half of equal parts is 60 degrees: 256 / 3 signs.
    expect(Math.abs(differing(one, signsOf(...many(0, 100), ...many(5000, 100))) - 85)).toBeLessThan(28)
  })

  it('distinguishes texts by their words even without any weight', () => {
    expect(differing(signsOf([1, 0], [2, 0]), signsOf([3, 0], [4, 0]))).toBeGreaterThan(80)
  })

  it('starts over when cleared', () => {
    const projection = new Projection(1000)
    for (const [hash, weight] of many(0, 50)) projection.add(hash, weight)
    projection.clear()
    projection.add(1, 3)
    expect(projection.signs()).toEqual(signsOf([1, 3]))
  })
})

describe('a set of hashes', () => {
  it('contains what was added until cleared', () => {
    const set = new HashSet(4)
    expect([set.add(5), set.add(-5), set.add(5)]).toEqual([true, true, false])
    expect([set.has(5), set.has(-5), set.has(0)]).toEqual([true, true, false])
    set.clear()
    expect([set.has(5), set.add(5)]).toEqual([false, true])
  })

  it('keeps colliding hashes apart', () => {
    const set = new HashSet(4)
    expect([set.add(8), set.add(16), set.add(24)]).toEqual([true, true, true])
    expect([set.has(16), set.has(24), set.has(32)]).toEqual([true, true, false])
  })

  it('refuses to exceed its capacity', () => {
    const set = new HashSet(2)
    set.add(1)
    set.add(2)
    expect(() => set.add(3)).toThrow(new RangeError('the set is full'))
  })
})
