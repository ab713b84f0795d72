import { checkBytes } from '../checks.ts'
import { X25519_BYTES } from '../sizes.ts'

const P = 2n ** 255n - 19n

/** The u-coordinates of order 1, 2, 4 and 8, on the curve and on its twist: X25519 with them gives zero for every key. */
const SMALL_ORDER: readonly bigint[] = [
  0n,
  1n,
  P - 1n,
  0xb8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
]

/** RFC 7748, section 5: little-endian, and the highest bit is ignored. */
function coordinateOf(key: Uint8Array): bigint {
  const view = new DataView(key.buffer, key.byteOffset, X25519_BYTES)
  const bits = [24, 16, 8, 0].reduce((value, at) => (value << 64n) | view.getBigUint64(at, true), 0n)
  return BigInt.asUintN(255, bits) % P
}

/** Whether the value is an X25519 public key that takes part in the secret. */
export function isX25519PublicKey(value: unknown): boolean {
  try {
    checkX25519PublicKey('x25519 publicKey', value)
    return true
  } catch {
    return false
  }
}

/**
 * RFC 7748, section 6.1 lets implementations refuse a shared secret of zeros. All do so here, by the point, so that both
 * backends throw the same error.
 */
export function checkX25519PublicKey(title: string, value: unknown): asserts value is Uint8Array {
  checkBytes(title, value, X25519_BYTES)
  if (SMALL_ORDER.includes(coordinateOf(value))) throw new TypeError(`${title}: a point of small order`)
}
