/**
 * X-Wing with two separate keys, for runtimes that have ML-KEM-768 and X25519 but no X-Wing key. The result is the same,
 * because the draft derives both keys from one seed and then uses them independently.
 *
 * @module
 */
import { sha3_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { ML_KEM_768 } from '../sizes.ts'
import { checkXWingCiphertext } from './checks.ts'

/** draft-connolly-cfrg-xwing-kem, section 5.3: `\./` over `/^\`. */
const LABEL = /* @__PURE__ */ Uint8Array.of(0x5c, 0x2e, 0x2f, 0x2f, 0x5e, 0x5c)

/** Splits an X-Wing ciphertext into its two parts. Throws a `TypeError` if it is not one. */
export function xWingCiphertextParts(ciphertext: Uint8Array): { mlKem: Uint8Array; ephemeral: Uint8Array } {
  checkXWingCiphertext(ciphertext)
  return {
    mlKem: ciphertext.slice(0, ML_KEM_768.ciphertextBytes),
    ephemeral: ciphertext.slice(ML_KEM_768.ciphertextBytes),
  }
}

/** Combines the shared secrets of both parts into the shared secret of X-Wing, 32 bytes. */
export function xWingSecretOf(parts: {
  readonly mlKemSecret: Uint8Array
  readonly x25519Secret: Uint8Array
  readonly ephemeral: Uint8Array
  /** The public key of the receiver. */
  readonly x25519PublicKey: Uint8Array
}): Uint8Array {
  return sha3_256(concatBytes(parts.mlKemSecret, parts.x25519Secret, parts.ephemeral, parts.x25519PublicKey, LABEL))
}
