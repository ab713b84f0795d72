/** Numbers from 0 to 1 that a seed brings back: 32 bits of SplitMix32, enough to choose and far from secret. */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x9e37_79b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/** One of them, each as often as its weight says. */
export function weighted<T extends { readonly weight: number }>(items: readonly T[], random: Random): T {
  const total = items.reduce((sum, { weight }) => sum + weight, 0)
  let left = random() * total
  for (const item of items) {
    left -= item.weight
    if (left < 0) return item
  }
  throw new Error('nothing has a weight')
}

/**
 * Milliseconds after the start at which requests are due: a Poisson process, as of many callers who do not know of each
 * other, with `ratePerSecond` on average.
 */
export function arrivals(count: number, ratePerSecond: number, random: Random): number[] {
  let at = 0
  return Array.from({ length: count }, () => {
    at += (-Math.log(1 - random()) * 1000) / ratePerSecond
    return at
  })
}
