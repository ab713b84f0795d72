import { hammingDistance } from './vector.ts'

/** Words from `wordStart` up to, not including, `wordEnd`. */
export interface Span {
  readonly wordStart: number
  readonly wordEnd: number
}

export interface SpannedText {
  readonly wordCount: number
  readonly spans: readonly Span[]
}

/** Chunk `left` of one text is as near as `distance` to chunk `right` of another. */
export interface ChunkPair {
  readonly left: number
  readonly right: number
  readonly distance: number
}

export interface TextScore {
  /** The larger containment: 1 for an excerpt, and for what is quoted whole. */
  readonly score: number
  /** The share of the words of each text that stand in matched chunks. */
  readonly leftContainment: number
  readonly rightContainment: number
  /** What was matched, in order, merged where it touches. */
  readonly leftSpans: readonly Span[]
  readonly rightSpans: readonly Span[]
}

/**
 * Chunks this near are taken for the same text, edited. The page on fingerprints says how it was measured. Of 10^7
 * vectors of chance about 0.0003 come as near to a given one.
 */
export const MATCH_DISTANCE = 76

/** The nearest chunk of `right` for each of `left`, where it is near enough. Vectors are packed. */
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

/** What the pairs say of both texts. A pair that names no chunk of them is a RangeError. */
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
  if (!span) throw new RangeError(`there is no chunk ${index}`)
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
