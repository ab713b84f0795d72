/**
 * Joining parts of the map of accounts, and the path through them: of the 16 slots of a page, or of the 256 buckets.
 *
 * @module
 */
import { toHex } from '../base/hash.ts'
import { EMPTY_MAP_ROOT, joined, type Subtree } from './account-map.ts'

/** All parts from the single ones to the one that has all: each level has half as many. */
export type Levels = readonly (readonly Subtree[])[]

/** Of parts that lie side by side; their number is a power of two. */
export function levelsOf(parts: readonly Subtree[]): Levels {
  const levels = [parts]
  for (let level = parts; level.length > 1; levels.push(level)) {
    level = Array.from({ length: level.length / 2 }, (_, i) => joined(level[2 * i] ?? null, level[2 * i + 1] ?? null))
  }
  return levels
}

/** What these parts come to. */
export function subtreeOf(parts: readonly Subtree[]): Subtree {
  return levelsOf(parts).at(-1)?.[0] ?? null
}

/** The root of the map, from what its buckets come to. */
export function mapRootOf(buckets: readonly Subtree[]): string {
  const whole = subtreeOf(buckets)
  return whole ? toHex(whole.hash) : EMPTY_MAP_ROOT
}

export interface Descent {
  /** From the top; null for an empty one. */
  readonly siblings: readonly (Uint8Array | null)[]
  /** The part that the path ends in: it has the only account there, or is the one that was asked for. Null: no account. */
  readonly part: number | null
}

/** The path to one of the parts. It ends above where there is at most one account. */
export function descend(levels: Levels, index: number): Descent {
  const siblings: (Uint8Array | null)[] = []
  for (let height = levels.length - 1; ; height--) {
    const place = index >> height
    const here = levels[height]?.[place] ?? null
    if (here === null) return { siblings, part: null }
    if (height === 0) return { siblings, part: index }
    if (here.isLone) {
      const first = place << height
      return {
        siblings,
        part: first + (levels[0] ?? []).slice(first, first + 2 ** height).findIndex((part) => part !== null),
      }
    }
    siblings.push(levels[height - 1]?.[(index >> (height - 1)) ^ 1]?.hash ?? null)
  }
}
