import { hkdfSha3_384, sha3_384 } from '#pqc/sha3'
import type { KeyPurpose } from '#protocol/base/key-agreement'

const KEY_BYTES = 32

/**
 * The key of a shared secret for one purpose: HKDF with SHA3-384, the label as salt, and as info the hashes of ciphertext
 * and context, since implementations limit its length. X-Wing does not hash the ciphertext of ML-KEM-768: it is bound here.
 */
export function derivedKey(sharedSecret: Uint8Array, ciphertext: Uint8Array, { label, info }: KeyPurpose): Uint8Array {
  const bound = new Uint8Array([...sha3_384(ciphertext), ...sha3_384(info)])
  return hkdfSha3_384(sharedSecret, new TextEncoder().encode(label), bound, KEY_BYTES)
}
