/**
 * The bucket of an identifier. The function is public and fixed: snapshots are made per bucket, and a store holds whole
 * buckets, so that a deployment can spread records over more stores without any client noticing.
 *
 * @module
 */
import * as z from 'zod'

export const CONSENT_BUCKETS = 1_024 as const
/** log2(1,024) of 32 bits. */
const UNUSED_BITS = 22

export const bucketSchema = z
  .int()
  .min(0)
  .max(CONSENT_BUCKETS - 1)
  .meta({ description: 'fmix32(FNV-1a of the UTF-8 bytes of the identifier) >>> 22', example: 361 })

const encoder = new TextEncoder()

/** FNV-1a, 32 bits, over the bytes. */
function fnv1a(bytes: Uint8Array): number {
  let state = 0x811c9dc5
  for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193)
  return state
}

/** The finalizer of MurmurHash3. Without it the upper bits of FNV-1a follow the last characters of the text. */
function fmix32(value: number): number {
  let state = value
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return state ^ (state >>> 16)
}

/** 0 to 1,023. Steering it gains nothing: a bucket only decides with which others an identifier is listed and stored. */
export function bucketOf(hash: string): number {
  return fmix32(fnv1a(encoder.encode(hash))) >>> UNUSED_BITS
}
