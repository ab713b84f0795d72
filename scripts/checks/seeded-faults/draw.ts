import { createHash } from 'node:crypto'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/**
 * Draws from the pool by a seed: the same seed draws the same, whatever the order of the lists. Nobody chooses the
 * faults that a commit is tried with.
 */
export function draw<One extends { readonly id: string }>(pool: readonly One[], count: number, seed: string): One[] {
  const left = pool.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const random = xoroshiro128plus(createHash('sha256').update(seed).digest().readInt32BE())
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(uniformInt(random, 0, left.length - 1), 1),
  ).flat()
}
