import { hammingDistance } from './vector.ts'

/** Words from `wordStart` up to but not including `wordEnd`. */
export interface Span {
  readonly wordStart: number
  readonly wordEnd: number
}

export interface SpannedText {
  readonly wordCount: number
  readonly spans: readonly Span[]
}

/** Chunk `left` of one text and chunk `right` of another, at this distance. */
export interface ChunkPair {
  readonly left: number
  readonly right: number
  readonly distance: number
}

export interface TextScore {
  /** The larger containment: 1 if either text contains the other in full. */
  readonly score: number
  /** Share of each text's words that lie in matched chunks. */
  readonly leftContainment: number
  readonly rightContainment: number
  /** Matched spans in order; adjacent ones are merged. */
  readonly leftSpans: readonly Span[]
  readonly rightSpans: readonly Span[]
}

/**
 * Chunks within this distance count as edited versions of the same text. The page on fingerprints explains the
 * measurement. Of 10^7 random vectors, about 0.0003 are this close to a given one.
 */
export const MATCH_DISTANCE = 76

/** For each chunk of `left`, the nearest chunk of `right` within `maxDistance`, if any. Vectors are packed. */
export function matchChunks(
  left: readonly Uint8Array[],
  right: readonly Uint8Array[],
  maxDistance: number = MATCH_DISTANCE,
): ChunkPair[] {
  return left.flatMap((vector, index) => {
    let nearest: ChunkPair | undefined
    right.forEach((other, place) => {
      const distance = hammingDistance(vector, other)
      if (distance <= maxDistance && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
        nearest = { left: index, right: place, distance }
    })
    return nearest ? [nearest] : []
  })
}

/** Scores two texts by their matched chunks. Throws a RangeError if a pair refers to a chunk that does not exist. */
export function scoreTexts(left: SpannedText, right: SpannedText, pairs: readonly ChunkPair[]): TextScore {
  const leftSpans = merged(pairs.map((pair) => spanOf(left, pair.left)))
  const rightSpans = merged(pairs.map((pair) => spanOf(right, pair.right)))
  const leftContainment = wordsIn(leftSpans) / left.wordCount
  const rightContainment = wordsIn(rightSpans) / right.wordCount
  return {
    score: Math.max(leftContainment, rightContainment),
    leftContainment,
    rightContainment,
    leftSpans,
    rightSpans,
  }
}

function spanOf({ spans }: SpannedText, index: number): Span {
  const span = spans[index]
  if (!span) throw new RangeError(`chunk ${index} does not exist`)
  return span
}

function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const span of spans.toSorted((a, b) => a.wordStart - b.wordStart)) {
    const last = out.at(-1)
    if (last && span.wordStart <= last.wordEnd)
      out[out.length - 1] = { wordStart: last.wordStart, wordEnd: Math.max(last.wordEnd, span.wordEnd) }
    else out.push({ wordStart: span.wordStart, wordEnd: span.wordEnd })
  }
  return out
}

function wordsIn(spans: readonly Span[]): number {
  return spans.reduce((words, { wordStart, wordEnd }) => words + wordEnd - wordStart, 0)
}
