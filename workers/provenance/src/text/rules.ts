/**
 * What a text registration may contain: the order of the checks and their error texts are part of the public contract.
 * Nothing here handles prose; a body that has a key for prose is refused.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import { MIN_WORD_COUNT, PROSE_KEYS, TEXT_ASSET_ID } from '@svc/protocol/provenance/text-assets'
import { isSignVector, VECTOR_DIMENSIONS, VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { PACKED_BYTES, packSigns, type VectorPlace, type VectorSet } from '../vectors/set.ts'
import { certifiedIdOf } from './certificate.ts'
import { countedChunks } from './placement.ts'

/** The set has the chunks that count; `chunkCount` is of all that were sent. */
export interface TextRegistration extends VectorSet {
  readonly assetId: string
  readonly chunkCount: number
  /** Whether the id is the hash of what is registered, so that nothing else can be registered under it. */
  readonly isCertified: boolean
  readonly wordCount: number
}

export type TextRefusal =
  | { readonly reason: 'prose'; readonly key: string }
  | { readonly reason: 'too_many_chunks' }
  | { readonly reason: 'no_vectors' }
  | { readonly reason: 'too_many_vectors' }
  /** `fault` is a sentence that names a place in the input and quotes nothing from it. */
  | { readonly reason: 'invalid'; readonly fault: string }

const invalid = (fault: string) => err({ reason: 'invalid', fault } as const)

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isWhole = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least

/** The first key that could hold prose, whatever its value. Checks own members only. */
function proseIn(body: unknown): string | undefined {
  return isMembers(body) ? PROSE_KEYS.find((key) => Object.hasOwn(body, key)) : undefined
}

export function readTextRegistration(body: unknown): Result<TextRegistration, TextRefusal> {
  const prose = proseIn(body)
  if (prose !== undefined) return err({ reason: 'prose', key: prose })
  const { asset_id: assetId, chunks, word_count: wordCount } = isMembers(body) ? body : {}
  if (typeof assetId !== 'string' || !TEXT_ASSET_ID.test(assetId))
    return invalid('asset_id must be text- and 32 lowercase hex characters')
  if (!Array.isArray(chunks) || chunks.length === 0) return invalid('chunks must be a non-empty array')
  if (chunks.length > VECTOR_RULES.text.maxVectors) return err({ reason: 'too_many_chunks' })
  if (!isWhole(wordCount, MIN_WORD_COUNT)) return invalid(`word_count must be an integer of at least ${MIN_WORD_COUNT}`)
  const vectors: number[][] = []
  for (const [i, chunk] of (chunks as unknown[]).entries()) {
    const vector = readChunk(chunk, i)
    if (!vector.ok) return vector
    vectors.push(vector.value)
  }
  const places = readPlaces(chunks as readonly Members[])
  if (!places.ok) return places
  const sent = { places: places.value, vectors: packSigns(vectors) }
  const isCertified = certifiedIdOf(wordCount, sent) === assetId
  return ok({ assetId, wordCount, chunkCount: chunks.length, isCertified, ...countedOf(sent, wordCount) })
}

/** The part of a set that is stored, indexed and compared. */
function countedOf({ places, vectors }: VectorSet, wordCount: number): VectorSet {
  const counted = countedChunks(places, wordCount)
  const kept = new Uint8Array(counted.length * PACKED_BYTES)
  for (const [i, { at }] of counted.entries())
    kept.set(vectors.subarray(at * PACKED_BYTES, (at + 1) * PACKED_BYTES), i * PACKED_BYTES)
  return { places: counted.map(({ place }) => place), vectors: kept }
}

function readChunk(chunk: unknown, i: number): Result<number[], TextRefusal> {
  const where = `chunks.${i}`
  if (!isMembers(chunk)) return invalid(`${where} must be an object`)
  const { values, index } = chunk
  const vector = readVector(values, `${where}.values`)
  if (!vector.ok) return vector
  if (!isWhole(index, 0)) return invalid(`${where}.index must be a non-negative integer`)
  return vector
}

function readVector(values: unknown, where: string): Result<number[], TextRefusal> {
  if (!Array.isArray(values)) return invalid(`${where} must be an array`)
  if (values.length !== VECTOR_DIMENSIONS) return invalid(`${where} must have exactly ${VECTOR_DIMENSIONS} entries`)
  return isSignVector(values) ? ok(values) : invalid(`${where} must hold 1 and -1 alone`)
}

/** Checked after everything in the public contract: the positions of the chunks. */
function readPlaces(chunks: readonly Members[]): Result<VectorPlace[], TextRefusal> {
  const places: VectorPlace[] = []
  for (const [i, { index, start, words }] of chunks.entries()) {
    if (!isWhole(start, 0)) return invalid(`chunks.${i}.start must be a non-negative integer`)
    if (!isWhole(words, 1)) return invalid(`chunks.${i}.words must be a positive integer`)
    places.push({ index: index as number, start, extent: words })
  }
  return ok(places)
}

export interface TextQuery {
  /** Packed vectors, 32 bytes each. */
  readonly vectors: Uint8Array
}

export function readTextQuery(body: unknown): Result<TextQuery, TextRefusal> {
  const prose = proseIn(body)
  if (prose !== undefined) return err({ reason: 'prose', key: prose })
  const { vectors, word_count: wordCount, chunk_count: chunkCount } = isMembers(body) ? body : {}
  if (!Array.isArray(vectors) || vectors.length === 0) return err({ reason: 'no_vectors' })
  if (vectors.length > VECTOR_RULES.text.maxQueryVectors) return err({ reason: 'too_many_vectors' })
  const read: number[][] = []
  for (const [i, values] of (vectors as unknown[]).entries()) {
    const vector = readVector(values, `vectors.${i}`)
    if (!vector.ok) return vector
    read.push(vector.value)
  }
  if (!isWhole(wordCount, 1)) return invalid('word_count must be a positive integer')
  if (!isWhole(chunkCount, 1)) return invalid('chunk_count must be a positive integer')
  return ok({ vectors: packSigns(read) })
}
