import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { checkBytes, isVerifiable } from './checks.ts'
import type { HashMlDsa65 } from './interface.ts'
import { ML_DSA_65, SHA3_384_BYTES } from './sizes.ts'

/**
 * FIPS 204 algorithm 4 with an empty context: 1 (pre-hash; the pure form has 0 here, so a signature of one form is
 * never valid for the other) ‖ 0 (context length) ‖ DER of id-sha3-384, 2.16.840.1.101.3.4.2.9 ‖ digest.
 */
const PREFIX = [0x01, 0x00, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x09]

function formatted(digest: Uint8Array): Uint8Array {
  return new Uint8Array([...PREFIX, ...digest])
}

/** No runtime supports this form, so it always uses noble's ML-DSA.Sign_internal and Verify_internal. */
export const hashMlDsa65: HashMlDsa65 = {
  async sign(seed, digest) {
    checkBytes('hash-ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    checkBytes('hash-ml-dsa-65 digest', digest, SHA3_384_BYTES)
    const { secretKey } = ml_dsa65.keygen(seed)
    const signature = ml_dsa65.internal.sign(formatted(digest), secretKey)
    secretKey.fill(0)
    return signature
  },

  async verify(publicKey, digest, signature) {
    return (
      isVerifiable(publicKey, digest, signature, SHA3_384_BYTES) &&
      ml_dsa65.internal.verify(signature, formatted(digest), publicKey)
    )
  },
}
