import { hashHex } from '../base/hash.ts'

/** A chunk of a registered text: its index, its first word and its number of words, and its vector in 32 bytes. */
export interface PlacedVector {
  readonly index: number
  readonly start: number
  readonly words: number
  readonly packed: Uint8Array
}

const NUMBER_BYTES = 8
const VECTOR_BYTES = 32
const CHUNK_BYTES = 3 * NUMBER_BYTES + VECTOR_BYTES

/**
 * The id that a registration of a text certifies itself: `text-` and the first 16 bytes of SHA3-384 over the word count
 * and, for each chunk in order, its index, start and words, each as 8 bytes, big-endian, and its packed vector.
 */
export function textIdOf(wordCount: number, chunks: readonly PlacedVector[]): string {
  const bytes = new Uint8Array(NUMBER_BYTES + chunks.length * CHUNK_BYTES)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, BigInt(wordCount))
  for (const [i, { index, start, words, packed }] of chunks.entries()) {
    const at = NUMBER_BYTES + i * CHUNK_BYTES
    for (const [n, value] of [index, start, words].entries()) view.setBigUint64(at + n * NUMBER_BYTES, BigInt(value))
    bytes.set(packed, at + 3 * NUMBER_BYTES)
  }
  return `text-${hashHex(bytes).slice(0, 32)}`
}
