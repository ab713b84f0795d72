import type { MlDsa65, MlKem768 } from './interface.ts'
import { nativeMlDsa65, nativeMlKem768, nativeSupports } from './native.ts'
import { nobleMlDsa65, nobleMlKem768 } from './noble.ts'

export { isMlKem768PublicKey } from './checks.ts'
export { hashMlDsa65 } from './hash-ml-dsa.ts'
export type { Encapsulation, HashMlDsa65, MlDsa65, MlKem768, Verifier, XWing } from './interface.ts'
export { randomSeed } from './random.ts'
export { sha3_384, sha3_384Async } from './sha3.ts'
export { isXWingPublicKey } from './x-wing/checks.ts'
export { xWingCiphertextParts, xWingSecretOf } from './x-wing/parts.ts'
export { mlKem768SeedOf, xWing } from './x-wing/x-wing.ts'
export { isX25519PublicKey } from './x-wing/x25519-keys.ts'

/** The backend is chosen once, when the module loads. */
export const mlDsa65: MlDsa65 = /* @__PURE__ */ (() => (nativeSupports('ML-DSA-65') ? nativeMlDsa65 : nobleMlDsa65))()
export const mlKem768: MlKem768 = /* @__PURE__ */ (() =>
  nativeSupports('ML-KEM-768') ? nativeMlKem768 : nobleMlKem768)()
