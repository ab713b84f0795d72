/**
 * A segment: 256 signatures of one bucket, each after the hash of its act, in rows of the same length. An act's place is
 * the number of its segment and of its row, in one number.
 *
 * @module
 */
import { SIGNATURE_BYTES } from '@svc/protocol/base/labels'

export const SEGMENT_ACTS = 256
const HASH_BYTES = 48
const ROW_BYTES = HASH_BYTES + SIGNATURE_BYTES

export interface SegmentRow {
  readonly actHash: Uint8Array
  readonly signature: Uint8Array
}

export function placeOf(segment: number, row: number): number {
  return segment * SEGMENT_ACTS + row
}

export const segmentOf = (place: number) => Math.floor(place / SEGMENT_ACTS)
export const rowOf = (place: number) => place % SEGMENT_ACTS

export function segmentBytes(rows: readonly SegmentRow[]): Uint8Array {
  const bytes = new Uint8Array(rows.length * ROW_BYTES)
  for (const [i, { actHash, signature }] of rows.entries()) {
    bytes.set(actHash, i * ROW_BYTES)
    bytes.set(signature, i * ROW_BYTES + HASH_BYTES)
  }
  return bytes
}

/** The bytes of some rows. */
export function rangeOf(first: number, last: number): { readonly offset: number; readonly length: number } {
  return { offset: first * ROW_BYTES, length: (last - first + 1) * ROW_BYTES }
}

export function rowsOf(bytes: Uint8Array): SegmentRow[] {
  return Array.from({ length: Math.floor(bytes.length / ROW_BYTES) }, (_, i) => ({
    actHash: bytes.subarray(i * ROW_BYTES, i * ROW_BYTES + HASH_BYTES),
    signature: bytes.subarray(i * ROW_BYTES + HASH_BYTES, (i + 1) * ROW_BYTES),
  }))
}
