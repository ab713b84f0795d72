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

  it('weighs: of two features the heavier decides every sign', () => {
    expect(signsOf([7, 3], [8, 2])).toEqual(signsOf([7, 1]))
  })

  it('adds up to more than a counter of one byte holds', () => {
    expect(signsOf([7, 200], ...many(1000, 150).map(([hash]): [number, number] => [hash, 1]))).toEqual(signsOf([7, 1]))
  })

  it('differs in half of the signs from one with other features, and in a third from one that shares half', () => {
    const one = signsOf(...many(0, 200))
    expect(Math.abs(differing(one, signsOf(...many(5000, 200))) - 128)).toBeLessThan(32)
    // The angle of two sums that share half of equal parts is 60 degrees: 256 / 3 signs.
    expect(Math.abs(differing(one, signsOf(...many(0, 100), ...many(5000, 100))) - 85)).toBeLessThan(28)
  })

  it('without any weight tells texts apart by their words', () => {
    expect(differing(signsOf([1, 0], [2, 0]), signsOf([3, 0], [4, 0]))).toBeGreaterThan(80)
  })

  it('starts anew when it is cleared', () => {
    const projection = new Projection(1000)
    for (const [hash, weight] of many(0, 50)) projection.add(hash, weight)
    projection.clear()
    projection.add(1, 3)
    expect(projection.signs()).toEqual(signsOf([1, 3]))
  })
})

describe('a set of hashes', () => {
  it('has what was added, until it is cleared', () => {
    const set = new HashSet(4)
    expect([set.add(5), set.add(-5), set.add(5)]).toEqual([true, true, false])
    expect([set.has(5), set.has(-5), set.has(0)]).toEqual([true, true, false])
    set.clear()
    expect([set.has(5), set.add(5)]).toEqual([false, true])
  })

  it('keeps hashes apart that want the same place', () => {
    const set = new HashSet(4)
    expect([set.add(8), set.add(16), set.add(24)]).toEqual([true, true, true])
    expect([set.has(16), set.has(24), set.has(32)]).toEqual([true, true, false])
  })

  it('refuses more than it has room for', () => {
    const set = new HashSet(2)
    set.add(1)
    set.add(2)
    expect(() => set.add(3)).toThrow(new RangeError('the set is full'))
  })
})
