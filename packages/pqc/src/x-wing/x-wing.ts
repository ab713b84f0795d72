/**
 * X-Wing (draft-connolly-cfrg-xwing-kem): one KEM of ML-KEM-768 and X25519, in WebCrypto `MLKEM768-X25519`.
 *
 * @module
 */
import { shake256 } from '@noble/hashes/sha3.js'
import type { XWing } from '../interface.ts'
import { ML_KEM_768, X25519_BYTES } from '../sizes.ts'
import { nativeSupports } from '../subtle.ts'
import { checkXWingSeed } from './checks.ts'
import { nativeXWing, X_WING_ALGORITHM } from './native.ts'
import { nobleXWing } from './noble.ts'

/** The backend is chosen once, when the module loads. */
export const xWing: XWing = /* @__PURE__ */ (() => (nativeSupports(X_WING_ALGORITHM) ? nativeXWing : nobleXWing))()

/** The seed of the key pair's ML-KEM-768 part, which opens what was sealed to that part alone. */
export function mlKem768SeedOf(seed: Uint8Array): Uint8Array {
  checkXWingSeed(seed)
  return shake256(seed, { dkLen: ML_KEM_768.seedBytes + X25519_BYTES }).slice(0, ML_KEM_768.seedBytes)
}
