/**
 * The stored form of one asset's vectors, with the position of each: a head of 8 bytes, then for each vector three
 * 8-byte numbers (index, start and extent), then for each vector its 32 bytes. Little endian.
 *
 * @module
 */
import { PACKED_BYTES } from './vector-index.ts'

export { PACKED_BYTES }

/** "SVV" and the version of the format. */
const MAGIC = 0x01_56_56_53
const HEAD_BYTES = 8
const PLACE_BYTES = 24

/** For a text chunk: index, first word and word count. For a frame: number, milliseconds and 0. */
export interface VectorPlace {
  readonly index: number
  readonly start: number
  readonly extent: number
}

export interface VectorSet {
  readonly places: readonly VectorPlace[]
  /** 32 bytes per place. */
  readonly vectors: Uint8Array
}

export function encodeVectorSet({ places, vectors }: VectorSet): Uint8Array<ArrayBuffer> {
  if (vectors.length !== places.length * PACKED_BYTES) throw new RangeError('a vector for each place')
  const bytes = new Uint8Array(HEAD_BYTES + places.length * (PLACE_BYTES + PACKED_BYTES))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, places.length, true)
  for (const [i, { index, start, extent }] of places.entries()) {
    const at = HEAD_BYTES + i * PLACE_BYTES
    view.setFloat64(at, index, true)
    view.setFloat64(at + 8, start, true)
    view.setFloat64(at + 16, extent, true)
  }
  bytes.set(vectors, HEAD_BYTES + places.length * PLACE_BYTES)
  return bytes
}

/** Null for bytes that this module did not write. */
export function decodeVectorSet(bytes: Uint8Array): VectorSet | null {
  if (bytes.length < HEAD_BYTES) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(4, true)
  if (view.getUint32(0, true) !== MAGIC || bytes.length !== HEAD_BYTES + count * (PLACE_BYTES + PACKED_BYTES))
    return null
  const places = Array.from({ length: count }, (_, i) => {
    const at = HEAD_BYTES + i * PLACE_BYTES
    return {
      index: view.getFloat64(at, true),
      start: view.getFloat64(at + 8, true),
      extent: view.getFloat64(at + 16, true),
    }
  })
  return { places, vectors: bytes.subarray(HEAD_BYTES + count * PLACE_BYTES) }
}

/** Packs vectors that were validated before: bit i % 8 of byte i / 8 is set if value i is 1. */
export function packSigns(vectors: readonly (readonly number[])[]): Uint8Array {
  const packed = new Uint8Array(vectors.length * PACKED_BYTES)
  for (const [place, values] of vectors.entries()) {
    const at = place * PACKED_BYTES
    for (let i = 0; i < values.length; i++) if (values[i] === 1) packed[at + (i >> 3)]! |= 1 << (i & 7)
  }
  return packed
}
