import type { Result } from '@svc/protocol/base/result'

/** Every vector has 256 values of 1 or -1, packed into 32 bytes: value i is bit i % 8 of byte i / 8. */
export const PACKED_BYTES = 32
/** The most that Vectorize returns for a query without values and metadata. */
export const MAX_TOP_K = 50
/** Each vector is a query of its own to Vectorize, and a Worker may make 1,000 subrequests per request. */
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
 * Finds vectors. The index is derived data: the sets in D1 and R2 are the truth, and callers check each hit against
 * them, because an index may lag, miss neighbours or name sets that no longer exist. Consistency: read your writes
 * (embedded) or a delay of some seconds (Vectorize).
 */
export interface VectorIndex {
  /** Adds the vectors of one set. Idempotent: the set behind a number does not change. */
  put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>>
  /** For each packed query its nearest neighbours within `maxDistance`, nearest first, at most `topK`. */
  nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]>
  /** Whether the index is reachable. */
  isThere(): Promise<boolean>
}

/** Splits packed bytes into vectors. */
export function unpacked(vectors: Uint8Array): Uint8Array[] {
  return Array.from({ length: vectors.length / PACKED_BYTES }, (_, i) =>
    vectors.subarray(i * PACKED_BYTES, (i + 1) * PACKED_BYTES),
  )
}
