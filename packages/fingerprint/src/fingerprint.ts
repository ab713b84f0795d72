import { addFeatures, FEATURES_PER_WORD } from './features.ts'
import { Projection, type Sign } from './projection.ts'
import { commonWords } from './text/common-words.ts'
import { fold } from './text/folding.ts'
import { MAX_SEGMENT_MASS, segmentStarts } from './text/segments.ts'
import { splitWords } from './text/words.ts'

export const MIN_WORDS = 5
export const MAX_CHUNKS = 5000

/** Segments per chunk. Chunks start one segment apart, so any two adjacent segments lie within one chunk. */
const SEGMENTS_PER_CHUNK = 3
/** A text with more mass always has more than MAX_CHUNKS chunks, wherever it is cut. */
const MAX_MASS = (MAX_CHUNKS + SEGMENTS_PER_CHUNK - 1) * MAX_SEGMENT_MASS

export interface Chunk {
  /** 256 values of 1 or -1. */
  readonly values: readonly Sign[]
  /** Index of the chunk's first word, and of the word after its last, counted as in `wordCount`. */
  readonly wordStart: number
  readonly wordEnd: number
}

export interface Fingerprint {
  readonly chunks: readonly Chunk[]
  /**
   * Words of the text. In scripts without spaces (Chinese, Japanese, Thai, Khmer and others) each character with its
   * marks counts as one.
   */
  readonly wordCount: number
  readonly chunkCount: number
}

/**
 * Computes the fingerprint of a text. It is the same in every runtime, and the same for texts that differ only in case,
 * spaces, punctuation, accents, look-alike letters, kana and Han variants. Throws a RangeError for a text with fewer than 5 words or more than 5,000 chunks.
 */
export function fingerprintText(text: string): Fingerprint {
  const words = splitWords(fold(text), MAX_MASS)
  if (words.count < MIN_WORDS)
    throw new RangeError(`a fingerprint needs at least ${MIN_WORDS} words; this text has ${words.count}`)
  const common = commonWords(words)
  const starts = words.position[words.count]! > MAX_MASS ? [] : segmentStarts(words, common)
  const segments = starts.length - 1
  const chunkCount = Math.max(1, segments - SEGMENTS_PER_CHUNK + 1)
  if (segments < 1 || chunkCount > MAX_CHUNKS)
    throw new RangeError(`a fingerprint has at most ${MAX_CHUNKS} chunks; split this text into parts`)
  const projection = new Projection(SEGMENTS_PER_CHUNK * MAX_SEGMENT_MASS * FEATURES_PER_WORD)
  const chunks: Chunk[] = []
  for (let i = 0; i < chunkCount; i++) {
    const wordStart = starts[i]!
    const wordEnd = starts[Math.min(i + SEGMENTS_PER_CHUNK, segments)]!
    // Depends on these words only, not on their surroundings.
    projection.clear()
    for (let last = wordStart; last < wordEnd; last++) addFeatures(projection, words, common, wordStart, last)
    chunks.push({ values: projection.signs(), wordStart, wordEnd })
  }
  return { chunks, wordCount: words.count, chunkCount }
}
