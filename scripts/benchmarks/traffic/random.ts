import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Returns numbers n with 0 ≤ n < 1. The same seed gives the same numbers; they are not for secrets. */
export type Random = () => number

export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed)
  return () => uniformFloat64(generator)
}

/** Picks an item with a probability proportional to its weight. */
export function weighted<T extends { readonly weight: number }>(items: readonly T[], random: Random): T {
  const total = items.reduce((sum, { weight }) => sum + weight, 0)
  let left = random() * total
  for (const item of items) {
    left -= item.weight
    if (left < 0) return item
  }
  throw new Error('no item has a weight')
}

/**
 * When requests are due, in milliseconds after the start: a Poisson process with `ratePerSecond` on average, like many
 * independent callers.
 */
export function arrivals(count: number, ratePerSecond: number, random: Random): number[] {
  let at = 0
  return Array.from({ length: count }, () => {
    at += (-Math.log(1 - random()) * 1000) / ratePerSecond
    return at
  })
}
