import { xWing } from '#pqc'
import { type HybridKey, type KeyPurpose, xWingKeyOf } from '#protocol/base/key-agreement'
import { checkCall } from '../arguments/check.ts'
import { derivedKey } from './derived-key.ts'

/** A key that two parties have, and what the other one derives it from. */
export interface NewKey {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** X-Wing ciphertext, 1,120 bytes: `unwrap` of the recipient gives the same key for the same purpose. */
  readonly ciphertext: Uint8Array
}

/** A new key for an identity or a device, and for one purpose. */
export async function newKeyFor(recipient: HybridKey, purpose: KeyPurpose): Promise<NewKey> {
  checkCall('newKeyFor', [recipient, purpose], ['recipient', 'purpose'])
  const { ciphertext, sharedSecret } = await xWing.encapsulate(xWingKeyOf(recipient))
  return { key: derivedKey(sharedSecret, ciphertext, purpose), ciphertext }
}
