/**
 * What one device seals for another: ML-KEM-768 to its key, then AES-256-GCM. The key of the cipher is made from the
 * shared secret and the ciphertext, and the offer and device that it is for are authenticated with it.
 *
 * @module
 */
import { mlKem768 } from '@svc/pqc'
import { sha3_384 } from '@svc/pqc/sha3'
import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { jcsBytes } from '@svc/protocol/jcs'
import type { Sealed } from '@svc/protocol/rendezvous'

/** What the sealed bytes are for; opening them for anything else fails. */
export interface SealContext {
  readonly code: string
  readonly deviceId: string
}

export async function seal(plaintext: Uint8Array, kemPublicKeyB64u: string, context: SealContext): Promise<Sealed> {
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(kemPublicKeyB64u))
  const key = await keyOf(sharedSecret, ciphertext, 'encrypt')
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(parameters(nonce, context), key, new Uint8Array(plaintext))
  return {
    kemCiphertextB64u: encodeBase64url(ciphertext),
    nonceB64u: encodeBase64url(nonce),
    ciphertextB64u: encodeBase64url(new Uint8Array(sealed)),
  }
}

/** Throws when it was sealed for another device or offer, or changed on the way; which of them cannot be told. */
export async function open(
  sealed: Sealed,
  device: { decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> },
  context: SealContext,
): Promise<Uint8Array> {
  const ciphertext = bytesOf(sealed.kemCiphertextB64u)
  const key = await keyOf(await device.decapsulate(ciphertext), ciphertext, 'decrypt')
  const opened = await crypto.subtle
    .decrypt(parameters(bytesOf(sealed.nonceB64u), context), key, new Uint8Array(bytesOf(sealed.ciphertextB64u)))
    .catch(() => {
      throw new Error('what was sealed is not for this device, or was changed')
    })
  return new Uint8Array(opened)
}

async function keyOf(sharedSecret: Uint8Array, ciphertext: Uint8Array, use: 'encrypt' | 'decrypt') {
  const label = new TextEncoder().encode('svc/seal/v1')
  const raw = sha3_384(new Uint8Array([...label, ...sharedSecret, ...ciphertext])).slice(0, 32)
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, { code, deviceId }: SealContext) {
  const additionalData = new Uint8Array(jcsBytes({ type: 'svc/seal/v1', code, deviceId }))
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData }
}
