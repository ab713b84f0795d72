import { hammingDistance } from '@svc/fingerprint'
import { PACKED_BYTES, unpacked } from './vector-index.ts'

/** Two vectors that differ in at most so many values are one in the index. */
export const NEAR_DISTANCE = 7

/**
 * A band is 32 of the 256 values. Vectors that differ in at most seven values agree in at least one of the eight bands, so
 * only those that share a band are compared.
 */
const BAND_BYTES = 4
const BANDS = PACKED_BYTES / BAND_BYTES
/** Compared with at most so many in a band, so that a set built to share bands costs no more than 5,000 · 8 · 16 distances. */
const MAX_COMPARED = 16

/** The vectors of a set without those that repeat an earlier one, exactly or nearly. What an index gets of the set. */
export function distinctVectors(vectors: Uint8Array): Uint8Array {
  const bands = Array.from({ length: BANDS }, () => new Map<number, Uint8Array[]>())
  const kept = unpacked(vectors).filter((vector) => isNew(vector, bands))
  const packed = new Uint8Array(kept.length * PACKED_BYTES)
  for (const [i, vector] of kept.entries()) packed.set(vector, i * PACKED_BYTES)
  return packed
}

/** Remembers the vector if it is new. */
function isNew(vector: Uint8Array, bands: readonly Map<number, Uint8Array[]>[]): boolean {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength)
  const sharing = bands.map((band, i) => {
    const key = view.getUint32(i * BAND_BYTES)
    const shared = band.get(key) ?? []
    band.set(key, shared)
    return shared
  })
  if (sharing.some((shared) => shared.some((other) => hammingDistance(vector, other) <= NEAR_DISTANCE))) return false
  for (const shared of sharing) if (shared.length < MAX_COMPARED) shared.push(vector)
  return true
}
