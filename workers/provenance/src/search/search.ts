/**
 * The law of similarity: how alike a query and an asset are, from the vectors of both. What an index found is only where
 * to look; every distance here is exact.
 *
 * @module
 */
import { type ChunkPair, matchChunks, type Span, scoreTexts } from '@svc/fingerprint'
import { MAX_MATCHES, VECTOR_RULES, type VectorService } from '@svc/protocol/vector-services'
import type { VectorPlace } from '../vectors/vector-set.ts'

/** What a search looks for. Of a clip it is only asked whether the video has it. */
export type SearchKind = VectorService | 'video-fragment'
export const serviceOf = (kind: SearchKind): VectorService => (kind === 'video-fragment' ? 'video' : kind)

export interface Scored {
  readonly score: number
  /** The share of the query’s vectors that match one of the asset’s. */
  readonly queryContainment: number
  /** The share of the asset in what is matched: of its words, or of its vectors. */
  readonly assetContainment: number
  /** For each vector of the query that matches: its nearest of the asset. `left` is the query’s. */
  readonly pairs: readonly ChunkPair[]
  /** Of a text: matched words, merged where chunks touch. */
  readonly spans: readonly Span[]
}

export interface ScoredAsset {
  readonly places: readonly VectorPlace[]
  readonly vectors: readonly Uint8Array[]
  /** Null of what has no words. */
  readonly words: number | null
}

/** Null where nothing matches, which an index that is out of date may have promised. */
export function scoreAsset(kind: SearchKind, query: readonly Uint8Array[], asset: ScoredAsset): Scored | null {
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
  // The service cannot check that the chunks of a text lie within the words that it says it has.
  const assetContainment = Math.min(1, both.rightContainment)
  const score = scoreOf(kind, queryContainment, assetContainment, pairs)
  return { score, queryContainment, assetContainment, pairs, spans: both.rightSpans }
}

function scoreOf(kind: SearchKind, query: number, asset: number, pairs: readonly ChunkPair[]): number {
  switch (kind) {
    // An excerpt of the asset, or the asset within the query.
    case 'text':
      return Math.max(query, asset)
    // The same video: all of each in the other.
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
 * Assets that are looked at: as many as an answer can hold. At worst 20 of 5,000 vectors beside a query of 100, ten
 * million distances, which take half a second.
 */
const MAX_CANDIDATES = MAX_MATCHES

/** The sets in which most of the query was found, the nearest of equals first. */
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
