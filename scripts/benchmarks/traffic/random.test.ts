import { describe, expect, it } from 'vitest'
import { arrivals, seededRandom, weighted } from './random.ts'

describe('seededRandom', () => {
  it('repeats the numbers of a seed', () => {
    const numbers = (seed: number) => Array.from({ length: 5 }, seededRandom(seed))
    expect(numbers(7)).toEqual(numbers(7))
    expect(numbers(7)).not.toEqual(numbers(8))
  })

  it('gives numbers from 0 up to 1', () => {
    const numbers = Array.from({ length: 1_000 }, seededRandom(1))
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    expect(numbers.reduce((sum, number) => sum + number, 0) / 1_000).toBeCloseTo(0.5, 1)
  })
})

describe('weighted', () => {
  it('picks items in proportion to their weight, and never one without', () => {
    const items = [
      { name: 'often', weight: 3 },
      { name: 'never', weight: 0 },
      { name: 'seldom', weight: 1 },
    ]
    const random = seededRandom(2)
    const taken = Array.from({ length: 4_000 }, () => weighted(items, random).name)
    expect(taken.filter((name) => name === 'never')).toEqual([])
    expect(taken.filter((name) => name === 'often').length / 4_000).toBeCloseTo(0.75, 1)
  })
})

describe('arrivals', () => {
  it('come in order, at the given rate, and not evenly', () => {
    const due = arrivals(5_000, 50, seededRandom(3))
    expect(due.toSorted((a, b) => a - b)).toEqual(due)
    expect((due.at(-1) ?? 0) / 1000).toBeGreaterThan(95)
    expect((due.at(-1) ?? 0) / 1000).toBeLessThan(105)
    const gaps = due.map((at, i) => at - (due[i - 1] ?? 0))
    // In a Poisson process, 1 − 1/e of the gaps are shorter than the mean.
    expect(gaps.filter((gap) => gap < 20).length / 5_000).toBeCloseTo(0.632, 1)
  })
})
