/**
 * Encryption from one device to another: AES-256-GCM under a key derived from ML-KEM-768 and X25519 to its keys, and from
 * the secret of the invitation. The offer and the device are authenticated as additional data.
 *
 * @module
 */
import { hkdfSha3_384 } from '#pqc/sha3'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { jcsBytes } from '#protocol/base/jcs'
import { ciphertextOf, type HybridKey, hybridCiphertextOf, type KeyPurpose } from '#protocol/base/key-agreement'
import type { Sealed } from '#protocol/devices/rendezvous'
import { newKeyFor } from '../identity/new-key.ts'
import type { Unwrap } from '../identity/unwrapper.ts'
import { unverified } from '../verification/verification-error.ts'

const LABEL = 'svc/seal/v1'
const KEY_BYTES = 32

/** What the encrypted bytes are for; decrypting them for anything else fails. */
export interface SealContext {
  readonly code: string
  readonly deviceId: string
  /** Of the invitation, 32 bytes: `OfferKeys`. */
  readonly sealKey: Uint8Array
}

export async function seal(plaintext: Uint8Array, recipient: HybridKey, context: SealContext): Promise<Sealed> {
  const { key: delivery, ciphertext } = await newKeyFor(recipient, purposeOf(context))
  const key = await cipherKey(delivery, context, 'encrypt')
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(parameters(nonce, context), key, new Uint8Array(plaintext))
  return {
    ...hybridCiphertextOf(ciphertext),
    nonceB64u: encodeBase64url(nonce),
    ciphertextB64u: encodeBase64url(new Uint8Array(sealed)),
  }
}

/** Throws if it was encrypted for another device or offer, or modified; these cannot be told apart. */
export async function open(
  sealed: Sealed,
  device: { readonly unwrap: Unwrap },
  context: SealContext,
): Promise<Uint8Array> {
  const delivery = await device.unwrap(ciphertextOf(sealed), purposeOf(context))
  const key = await cipherKey(delivery, context, 'decrypt')
  const opened = await crypto.subtle
    .decrypt(parameters(bytesOf(sealed.nonceB64u), context), key, new Uint8Array(bytesOf(sealed.ciphertextB64u)))
    .catch(() => {
      throw unverified('offer', 'modified', 'This was encrypted for another device or offer, or it was modified')
    })
  return new Uint8Array(opened)
}

function purposeOf({ code, deviceId }: SealContext): KeyPurpose {
  return { label: LABEL, info: jcsBytes({ type: LABEL, code, deviceId }) }
}

/** The secret of the invitation joins here, so that a signer that unwraps never sees it. */
function cipherKey(delivery: Uint8Array, { sealKey }: SealContext, use: 'encrypt' | 'decrypt') {
  const raw = hkdfSha3_384(delivery, sealKey, new TextEncoder().encode(LABEL), KEY_BYTES)
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, context: SealContext) {
  const additionalData = new Uint8Array(purposeOf(context).info)
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData }
}
