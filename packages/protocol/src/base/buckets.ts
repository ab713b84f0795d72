/**
 * The bucket of an identifier. The function is public and fixed, and so is where a bucket is stored.
 *
 * @module
 */

export const BUCKETS = 1_024 as const
/** log2(1,024) of 32 bits. */
const UNUSED_BITS = 22

const encoder = /* @__PURE__ */ new TextEncoder()

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
