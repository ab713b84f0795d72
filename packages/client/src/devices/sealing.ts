/**
 * Encryption from one device to another: ML-KEM-768 to its key, then AES-256-GCM. The cipher key is derived from the
 * shared secret, the ciphertext and the secret of the invitation; the offer and the device are authenticated as additional
 * data.
 *
 * @module
 */
import { mlKem768 } from '#pqc'
import { sha3_384 } from '#pqc/sha3'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { concatBytes } from '#protocol/base/bytes'
import { jcsBytes } from '#protocol/base/jcs'
import type { Sealed } from '#protocol/devices/rendezvous'
import { unverified } from '../verification/verification-error.ts'

/** What the encrypted bytes are for; decrypting them for anything else fails. */
export interface SealContext {
  readonly code: string
  readonly deviceId: string
  /** Of the invitation, 32 bytes: `OfferKeys`. */
  readonly sealKey: Uint8Array
}

export async function seal(plaintext: Uint8Array, kemPublicKeyB64u: string, context: SealContext): Promise<Sealed> {
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(kemPublicKeyB64u))
  const key = await keyOf({ sharedSecret, ciphertext, context }, 'encrypt')
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(parameters(nonce, context), key, new Uint8Array(plaintext))
  return {
    kemCiphertextB64u: encodeBase64url(ciphertext),
    nonceB64u: encodeBase64url(nonce),
    ciphertextB64u: encodeBase64url(new Uint8Array(sealed)),
  }
}

/** Throws if it was encrypted for another device or offer, or modified; these cannot be told apart. */
export async function open(
  sealed: Sealed,
  device: { decapsulate(ciphertext: Uint8Array): Promise<Uint8Array> },
  context: SealContext,
): Promise<Uint8Array> {
  const ciphertext = bytesOf(sealed.kemCiphertextB64u)
  const sharedSecret = await device.decapsulate(ciphertext)
  const key = await keyOf({ sharedSecret, ciphertext, context }, 'decrypt')
  const opened = await crypto.subtle
    .decrypt(parameters(bytesOf(sealed.nonceB64u), context), key, new Uint8Array(bytesOf(sealed.ciphertextB64u)))
    .catch(() => {
      throw unverified('offer', 'modified', 'This was encrypted for another device or offer, or it was modified')
    })
  return new Uint8Array(opened)
}

interface KeyParts {
  readonly sharedSecret: Uint8Array
  readonly ciphertext: Uint8Array
  readonly context: SealContext
}

async function keyOf({ sharedSecret, ciphertext, context }: KeyParts, use: 'encrypt' | 'decrypt') {
  const label = new TextEncoder().encode('svc/seal/v1')
  const raw = sha3_384(concatBytes([label, sharedSecret, ciphertext, context.sealKey])).slice(0, 32)
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, { code, deviceId }: SealContext) {
  const additionalData = new Uint8Array(jcsBytes({ type: 'svc/seal/v1', code, deviceId }))
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData }
}
