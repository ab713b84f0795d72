import { xWing } from '#pqc'
import type { KeyPurpose } from '#protocol/base/key-agreement'
import { KEM_CIPHERTEXT_BYTES } from '#protocol/base/labels'
import { derivedKey } from './derived-key.ts'
import { preparedKey } from './prepared-key.ts'

/** Derives the key of a ciphertext for one purpose. */
export type Unwrap = (ciphertext: Uint8Array, purpose: KeyPurpose) => Promise<Uint8Array>

/** With a seed in memory, which it copies; each key is prepared when it is first used and then kept. */
export function unwrapperOf(seed: Uint8Array): Unwrap {
  const own = seed.slice()
  const hybrid = preparedKey(() => xWing.decapsulatorOf(own))
  // Only clients that do not know the X25519 key make ciphertexts of ML-KEM-768 alone.
  const alone = preparedKey(async () => (await import('./ml-kem-alone.ts')).decapsulatorOf(own))
  return async (given, purpose) => {
    const [ciphertext, info] = [given.slice(), purpose.info.slice()]
    const decapsulate = await (ciphertext.length === KEM_CIPHERTEXT_BYTES ? alone() : hybrid())
    return derivedKey(await decapsulate(ciphertext), ciphertext, { label: purpose.label, info })
  }
}
