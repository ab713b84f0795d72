/**
 * ML-DSA-44 (FIPS 204), for notes only: everything else of the platform is signed with ML-DSA-65. A note is signed once a
 * minute, so the portable implementation serves every runtime.
 */
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'

export const ML_DSA_44 = { publicKeyBytes: 1312, signatureBytes: 2420, seedBytes: 32 } as const

export interface MlDsa44Signer {
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Uint8Array
}

export function mlDsa44SignerOf(seed: Uint8Array): MlDsa44Signer {
  if (seed.length !== ML_DSA_44.seedBytes) throw new RangeError('an ML-DSA-44 seed has 32 bytes')
  const { publicKey, secretKey } = ml_dsa44.keygen(seed)
  return { publicKey, sign: (message) => ml_dsa44.sign(message, secretKey) }
}

/** False for everything that is not a valid signature; never throws. */
export function verifyMlDsa44(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== ML_DSA_44.publicKeyBytes || signature.length !== ML_DSA_44.signatureBytes) return false
  try {
    return ml_dsa44.verify(signature, message, publicKey)
  } catch {
    return false
  }
}
