import { commonWords } from './common-words.ts'
import { addFeatures, FEATURES_PER_WORD } from './features.ts'
import { fold } from './folding.ts'
import { Projection, type Sign } from './projection.ts'
import { MAX_SEGMENT_MASS, segmentStarts } from './segments.ts'
import { splitWords } from './words.ts'

export const MIN_WORDS = 5
export const MAX_CHUNKS = 5000

/** Segments in a chunk. Each begins one segment after the one before, so that whatever is not longer is whole in one. */
const SEGMENTS_PER_CHUNK = 2
/** Of a text with more mass there are more than MAX_CHUNKS chunks, wherever it is cut. */
const MAX_MASS = (MAX_CHUNKS + SEGMENTS_PER_CHUNK - 1) * MAX_SEGMENT_MASS

export interface Chunk {
  /** 256 of 1 and -1. */
  readonly values: readonly Sign[]
  /** The first word of the chunk, and the one after the last. */
  readonly wordStart: number
  readonly wordEnd: number
}

export interface Fingerprint {
  readonly chunks: readonly Chunk[]
  readonly wordCount: number
  readonly chunkCount: number
}

/**
 * The fingerprint of a text: the same in every runtime, and the same for texts that differ in case, spaces,
 * punctuation and accents alone. Throws a RangeError for a text of fewer than 5 words or more than 5,000 chunks.
 */
export function fingerprintText(text: string): Fingerprint {
  const words = splitWords(fold(text), MAX_MASS)
  if (words.count < MIN_WORDS)
    throw new RangeError(`a fingerprint takes at least ${MIN_WORDS} words; this text has ${words.count}`)
  const common = commonWords(words)
  const starts = words.position[words.count]! > MAX_MASS ? [] : segmentStarts(words, common)
  const segments = starts.length - 1
  const chunkCount = Math.max(1, segments - SEGMENTS_PER_CHUNK + 1)
  if (segments < 1 || chunkCount > MAX_CHUNKS)
    throw new RangeError(`a fingerprint has at most ${MAX_CHUNKS} chunks; this text has more: take it in parts`)
  const projection = new Projection(SEGMENTS_PER_CHUNK * MAX_SEGMENT_MASS * FEATURES_PER_WORD)
  const chunks: Chunk[] = []
  for (let i = 0; i < chunkCount; i++) {
    const wordStart = starts[i]!
    const wordEnd = starts[Math.min(i + SEGMENTS_PER_CHUNK, segments)]!
    // Of these words alone, whatever stands around them.
    projection.clear()
    for (let last = wordStart; last < wordEnd; last++) addFeatures(projection, words, common, wordStart, last)
    chunks.push({ values: projection.signs(), wordStart, wordEnd })
  }
  return { chunks, wordCount: words.count, chunkCount }
}
