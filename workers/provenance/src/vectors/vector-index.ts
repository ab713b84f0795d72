import type { Result } from '@svc/protocol/result'

/** All vectors of the platform are 256 of 1 or -1, packed into 32 bytes: value i is bit i % 8 of byte i / 8. */
export const PACKED_BYTES = 32
/** What Vectorize gives of a query without values and metadata is at most 100. */
export const MAX_TOP_K = 50
/** Each is a query of its own to Vectorize; a Worker may make 1,000 calls for one request. */
export const MAX_QUERY_VECTORS = 100

/** Vector `place` of set `set` differs from the query in `distance` of 256 values. */
export interface Neighbour {
  readonly set: number
  readonly place: number
  readonly distance: number
}

export interface NearestOptions {
  /** 1 to MAX_TOP_K. */
  readonly topK: number
  readonly maxDistance: number
}

/**
 * Finds vectors. Derived data: sets are in D1 and R2, and whoever reads an answer checks it against them, since what an
 * index finds may be late, incomplete or of a set that is not there any more. Consistency: a set that was put is found at
 * once (embedded) or after some seconds (Vectorize).
 */
export interface VectorIndex {
  /** Puts the vectors of one set in. May be done again: what a number stands for does not change. */
  put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>>
  /** For each packed query its nearest neighbours, the nearest first, at most `topK` and none beyond `maxDistance`. */
  nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]>
  /** Whether it can be reached. */
  isThere(): Promise<boolean>
}

/** The vectors of packed bytes, one by one. */
export function unpacked(vectors: Uint8Array): Uint8Array[] {
  return Array.from({ length: vectors.length / PACKED_BYTES }, (_, i) =>
    vectors.subarray(i * PACKED_BYTES, (i + 1) * PACKED_BYTES),
  )
}
