import type { Fingerprint } from './fingerprint.ts'
import type { Sign } from './projection.ts'

/** One of `chunks` in the body of a text registration. */
export interface TextChunk {
  readonly index: number
  readonly values: readonly Sign[]
  /** Index of the chunk's first word. */
  readonly start: number
  readonly words: number
}

export interface TextRegistration {
  /** `wordCount` of the fingerprint: characters in scripts without spaces. */
  readonly word_count: number
  readonly chunks: readonly TextChunk[]
}

export interface TextQuery {
  readonly vectors: readonly (readonly Sign[])[]
  /** `wordCount` of the fingerprint: characters in scripts without spaces. */
  readonly word_count: number
  readonly chunk_count: number
}

/** The body of a text registration but for its `asset_id`. */
export function toTextRegistration({ chunks, wordCount }: Pick<Fingerprint, 'chunks' | 'wordCount'>): TextRegistration {
  return {
    word_count: wordCount,
    chunks: chunks.map(({ values, wordStart, wordEnd }, index) => ({
      index,
      values,
      start: wordStart,
      words: wordEnd - wordStart,
    })),
  }
}

/** The body of a text query. */
export function toTextQuery({ chunks, wordCount, chunkCount }: Fingerprint): TextQuery {
  return { vectors: chunks.map(({ values }) => values), word_count: wordCount, chunk_count: chunkCount }
}
