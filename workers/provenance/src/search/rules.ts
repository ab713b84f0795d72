/**
 * The rules of similarity: how alike a query and an asset are, computed from the vectors of both. The index only
 * proposes candidates; every distance here is exact.
 *
 * @module
 */
import { type ChunkPair, matchChunks, type Span, scoreTexts } from '@svc/fingerprint'
import { MAX_MATCHES, VECTOR_RULES, type VectorService } from '@svc/protocol/provenance/vector-services'
import type { VectorPlace } from '../vectors/set.ts'

/** What a search looks for. For a clip, only how much of it the video contains. */
export type SearchKind = VectorService | 'video-fragment'
export const serviceOf = (kind: SearchKind): VectorService => (kind === 'video-fragment' ? 'video' : kind)

/** How alike a query and a candidate are. */
export interface Similarity {
  readonly score: number
  /** The share of the query’s vectors that match one of the asset’s. */
  readonly queryContainment: number
  /** The share of the asset that is matched: of its words, or of its vectors. */
  readonly assetContainment: number
  /** For each matching vector of the query, the nearest one of the asset. `left` is the query’s. */
  readonly pairs: readonly ChunkPair[]
  /** For a text: the matched words, merged where chunks touch. */
  readonly spans: readonly Span[]
}

/** The vectors of an asset that a query is compared with. */
export interface Candidate {
  readonly places: readonly VectorPlace[]
  readonly vectors: readonly Uint8Array[]
  /** Null for an asset without words. */
  readonly words: number | null
}

/** Null if nothing matches, although an outdated index may have proposed the asset. */
export function similarityOf(kind: SearchKind, query: readonly Uint8Array[], asset: Candidate): Similarity | null {
  const { maxDistance } = VECTOR_RULES[serviceOf(kind)]
  const pairs = matchChunks(query, asset.vectors, maxDistance)
  if (pairs.length === 0) return null
  const unit = (_: unknown, i: number): Span => ({ wordStart: i, wordEnd: i + 1 })
  const spans =
    asset.words === null
      ? asset.places.map(unit)
      : asset.places.map(({ start, extent }) => ({ wordStart: start, wordEnd: start + extent }))
  const both = scoreTexts(
    { wordCount: query.length, spans: query.map(unit) },
    { wordCount: asset.words ?? asset.places.length, spans },
    pairs,
  )
  const queryContainment = both.leftContainment
  // The service cannot check that the chunks of a text lie within its declared word count.
  const assetContainment = Math.min(1, both.rightContainment)
  const score = scoreOf(kind, queryContainment, assetContainment, pairs)
  return { score, queryContainment, assetContainment, pairs, spans: both.rightSpans }
}

function scoreOf(kind: SearchKind, query: number, asset: number, pairs: readonly ChunkPair[]): number {
  switch (kind) {
    // Either an excerpt of the asset, or the whole asset within the query.
    case 'text':
      return Math.max(query, asset)
    // The same video: each contains all of the other.
    case 'video':
      return Math.min(query, asset)
    case 'fragment':
    case 'video-fragment':
      return query
    case 'semantic':
      return 1 - Math.min(...pairs.map(({ distance }) => distance)) / 256
  }
}

/**
 * How many candidates are compared: as many as an answer can hold. The worst case is 20 assets of 5,000 vectors against
 * a query of 100, ten million distances, which take half a second.
 */
const MAX_CANDIDATES = MAX_MATCHES

/** The sets in which most of the query was found; ties go to the nearest. */
export function candidatesOf(
  found: readonly (readonly { readonly set: number; readonly distance: number }[])[],
): number[] {
  const sets = new Map<number, { queries: number; nearest: number }>()
  for (const neighbours of found) {
    const nearest = new Map<number, number>()
    for (const { set, distance } of neighbours) nearest.set(set, Math.min(distance, nearest.get(set) ?? distance))
    for (const [set, distance] of nearest) {
      const before = sets.get(set)
      sets.set(set, { queries: (before?.queries ?? 0) + 1, nearest: Math.min(distance, before?.nearest ?? distance) })
    }
  }
  return [...sets]
    .toSorted(([a, left], [b, right]) => right.queries - left.queries || left.nearest - right.nearest || a - b)
    .slice(0, MAX_CANDIDATES)
    .map(([set]) => set)
}
