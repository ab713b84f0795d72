import type { Result } from '@svc/protocol/base/result'

/** Every vector has 256 values of 1 or -1, packed into 32 bytes: value i is bit i % 8 of byte i / 8. */
export const PACKED_BYTES = 32
/** Sets for each vector of a query. */
export const MAX_TOP_K = 50
/** Each vector is a query of its own to Vectorize, and a Worker may make 1,000 subrequests per request. */
export const MAX_QUERY_VECTORS = 100

/** Vector `place` of set `set` differs from the query in `distance` of 256 values. */
export interface Neighbour {
  readonly set: number
  readonly place: number
  readonly distance: number
}

/** A set by its number, and how many vectors it has in the index. */
export interface IndexedSet {
  readonly set: number
  readonly vectors: number
}
export type Presence = 'whole' | 'part' | 'none'

export interface NearestOptions {
  /** 1 to MAX_TOP_K. */
  readonly topK: number
  readonly maxDistance: number
}

/**
 * Finds vectors. The index is derived data: the sets in D1 and R2 are the truth, and callers check each hit against
 * them, because an index may lag, miss neighbours or name sets that no longer exist. Consistency: read your writes
 * (embedded) or a delay of some seconds (Vectorize).
 */
export interface VectorIndex {
  /** Adds the vectors of one set. Idempotent: the set behind a number does not change. */
  put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>>
  /**
   * For each packed query the nearest neighbour in each of at most `topK` sets, nearest first. Distances may be estimates,
   * and then neighbours somewhat beyond `maxDistance` are among them.
   */
  nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]>
  /** Takes sets out. Idempotent; the sets may have gone already. */
  remove(sets: readonly IndexedSet[]): Promise<void>
  /** How much of a set is found in the index. */
  presence(set: IndexedSet): Promise<Presence>
  /** How many more vectors a registration may bring. Zero: the index is full. */
  room(): Promise<number>
  /** Whether the index is reachable and has room. */
  isThere(): Promise<boolean>
}

/** Splits packed bytes into vectors. */
export function unpacked(vectors: Uint8Array): Uint8Array[] {
  return Array.from({ length: vectors.length / PACKED_BYTES }, (_, i) =>
    vectors.subarray(i * PACKED_BYTES, (i + 1) * PACKED_BYTES),
  )
}

/** The nearest of each set, nearest first; ties go to the older set and the lower place, in whatever order they came. */
export function nearestOfEach(neighbours: readonly Neighbour[]): Neighbour[] {
  const sorted = neighbours.toSorted((a, b) => a.distance - b.distance || a.set - b.set || a.place - b.place)
  const seen = new Set<number>()
  return sorted.filter(({ set }) => !seen.has(set) && seen.add(set))
}
