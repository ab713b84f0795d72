/** Loaded when a ciphertext of ML-KEM-768 alone is opened. */
import { mlKem768, mlKem768SeedOf } from '#pqc'

export function decapsulatorOf(seed: Uint8Array): Promise<(ciphertext: Uint8Array) => Promise<Uint8Array>> {
  return mlKem768.decapsulatorOf(mlKem768SeedOf(seed))
}
