import { isBytes } from '@noble/hashes/utils.js'
import { ML_DSA_65, ML_KEM_768 } from './sizes.ts'

/** Both backends run these checks first, so that their errors are identical. */
export function checkBytes(title: string, value: unknown, length?: number): asserts value is Uint8Array {
  if (!isBytes(value)) throw new TypeError(`${title}: expected a Uint8Array, got ${typeof value}`)
  if (length !== undefined && value.length !== length) {
    throw new TypeError(`${title}: expected ${length} bytes, got ${value.length}`)
  }
}

export function hasBytes(value: unknown, length?: number): value is Uint8Array {
  return isBytes(value) && (length === undefined || value.length === length)
}

/** FIPS 204 §3.6.2: reject a public key or signature of the wrong length. */
export function isVerifiable(publicKey: unknown, message: unknown, signature: unknown, messageBytes?: number): boolean {
  return (
    hasBytes(publicKey, ML_DSA_65.publicKeyBytes) &&
    hasBytes(message, messageBytes) &&
    hasBytes(signature, ML_DSA_65.signatureBytes)
  )
}

const ML_KEM_Q = 3329
const RHO_BYTES = 32

/** Whether the value is a valid encapsulation key. */
export function isMlKem768PublicKey(value: unknown): boolean {
  try {
    checkMlKem768PublicKey(value)
    return true
  } catch {
    return false
  }
}

/** FIPS 203 §7.2, the two checks of an encapsulation key: its type (length) and its modulus. */
export function checkMlKem768PublicKey(value: unknown): asserts value is Uint8Array {
  checkBytes('ml-kem-768 publicKey', value, ML_KEM_768.publicKeyBytes)
  // Equal to ByteEncode12(ByteDecode12(ek)) = ek: three bytes hold two little-endian coefficients of 12 bits.
  for (let i = 0; i < value.length - RHO_BYTES; i += 3) {
    const [low = 0, middle = 0, high = 0] = value.subarray(i, i + 3)
    if ((low | ((middle & 0x0f) << 8)) >= ML_KEM_Q || ((middle >> 4) | (high << 4)) >= ML_KEM_Q) {
      throw new TypeError('ml-kem-768 publicKey: a coefficient is not reduced modulo 3329')
    }
  }
}
