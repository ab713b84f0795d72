/**
 * Fingerprints of texts: near texts have near vectors, and the text stays on the device.
 *
 * @module
 */

export { type Chunk, type Fingerprint, fingerprintText, MAX_CHUNKS, MIN_WORDS } from './fingerprint.ts'
export { DIMENSIONS, type Sign } from './projection.ts'
export {
  type ChunkPair,
  MATCH_DISTANCE,
  matchChunks,
  type Span,
  type SpannedText,
  scoreTexts,
  type TextScore,
} from './score.ts'
export { agreementOf, cosineOf, hammingDistance, PACKED_BYTES, packVector, unpackVector } from './vector.ts'
export { type TextChunk, type TextQuery, type TextRegistration, toTextQuery, toTextRegistration } from './wire.ts'
