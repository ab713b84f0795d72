import { checkBytes, checkMlKem768PublicKey } from '../checks.ts'
import { ML_KEM_768, X_WING } from '../sizes.ts'
import { checkX25519PublicKey } from './x25519-keys.ts'

export function checkXWingSeed(value: unknown): asserts value is Uint8Array {
  checkBytes('x-wing seed', value, X_WING.seedBytes)
}

/** Whether the value is a key to encapsulate to. */
export function isXWingPublicKey(value: unknown): boolean {
  try {
    checkXWingPublicKey(value)
    return true
  } catch {
    return false
  }
}

export function checkXWingPublicKey(value: unknown): asserts value is Uint8Array {
  checkBytes('x-wing publicKey', value, X_WING.publicKeyBytes)
  checkMlKem768PublicKey(value.subarray(0, ML_KEM_768.publicKeyBytes))
  checkX25519PublicKey('x25519 publicKey', value.subarray(ML_KEM_768.publicKeyBytes))
}

export function checkXWingCiphertext(value: unknown): asserts value is Uint8Array {
  checkBytes('x-wing ciphertext', value, X_WING.ciphertextBytes)
  checkX25519PublicKey('x25519 ephemeral', value.subarray(ML_KEM_768.ciphertextBytes))
}
