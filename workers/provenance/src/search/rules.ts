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
  const assetContainment = both.rightContainment
  const score = scoreOf(kind, queryContainment, assetContainment, pairs)
  return { score, queryContainment, assetContainment, pairs, spans: both.rightSpans }
}

function scoreOf(kind: SearchKind, query: number, asset: number, pairs: readonly ChunkPair[]): number {
  switch (kind) {
    // The same video: each contains all of the other.
    case 'video':
      return Math.min(query, asset)
    // Evidence from the query alone: the size of an asset is what its registrant says.
    case 'text':
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

/**
 * How many texts are proposed. The bound for each registrant drops some of them before any is compared, so one identity with
 * hundreds of copies leaves room for others.
 */
const MAX_PROPOSED = 400
/** Texts of one registrant that are compared, and so the most that an answer holds. */
export const MAX_OF_REGISTRANT = 3

/**
 * The sets in which most of the query was found. Ties go to the nearest; among texts to the oldest, because copies of a text
 * can be as near as it is, or nearer by chance, but not older.
 */
export function candidatesOf(
  found: readonly (readonly { readonly set: number; readonly distance: number }[])[],
  kind: SearchKind,
): number[] {
  const isText = kind === 'text'
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
    .toSorted(
      ([a, left], [b, right]) => right.queries - left.queries || (isText ? 0 : left.nearest - right.nearest) || a - b,
    )
    .slice(0, isText ? MAX_PROPOSED : MAX_CANDIDATES)
    .map(([set]) => set)
}

/** The first texts, at most MAX_OF_REGISTRANT of each registrant, as many as are compared. */
export function fewOfEach<T extends { readonly registrant: string }>(texts: readonly T[]): T[] {
  const counts = new Map<string, number>()
  const isOneOfFew = ({ registrant }: T) => {
    const count = (counts.get(registrant) ?? 0) + 1
    counts.set(registrant, count)
    return count <= MAX_OF_REGISTRANT
  }
  return texts.filter(isOneOfFew).slice(0, MAX_CANDIDATES)
}

interface Ranked extends Pick<Similarity, 'score' | 'queryContainment'> {
  readonly row: { readonly id: number }
  /** Whether chunks of it repeat others, or lie outside of the text. */
  readonly isPadded: boolean
}

/** The best match first; of equal ones those that are not padded, and then the oldest. */
export function byRank(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    b.queryContainment - a.queryContainment ||
    Number(a.isPadded) - Number(b.isPadded) ||
    a.row.id - b.row.id
  )
}
