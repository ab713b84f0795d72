/**
 * Encryption to the owner of an asset: ML-KEM-768 to the owner's key, then AES-256-GCM under a key derived from the
 * shared secret and the ciphertext. Request, asset and key are authenticated; padding hides the length.
 *
 * @module
 */
import { mlKem768 } from '#pqc'
import { sha3_384 } from '#pqc/sha3'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import {
  type ContactContext,
  type ContactEnvelope,
  type ContactMessage,
  type ContactSealing,
  contactAad,
  padMessage,
  unpadMessage,
} from '#protocol/inbox/inbox'
import { unverified } from '../verification/verification-error.ts'

/** Throws a RangeError for a message above 65,535 bytes of canonical JSON, and the runtime's error for a bad key. */
export function sealContact(
  message: ContactMessage,
  kemPublicKeyB64u: string,
  context: ContactContext,
): Promise<ContactEnvelope> {
  return sealPadded('svc/contact/v1', padMessage(message), { kemPublicKeyB64u, context })
}

/** Throws if it was encrypted for another key or request, or modified; these cannot be told apart. */
export async function openContact(
  envelope: ContactEnvelope,
  holder: Holder,
  context: ContactContext,
): Promise<ContactMessage> {
  const opened = await openPadded('svc/contact/v1', envelope, { holder, context })
  const message = opened && unpadMessage(opened)
  if (!message)
    throw unverified('inbox', 'modified', 'The message was encrypted for another key or request, or it was modified')
  // The additional data also names the asset; a different one inside the message could not be relied on.
  if (message.assetId !== context.assetId)
    throw unverified('inbox', 'mismatch', 'The message names a different asset than its request')
  return message
}

export interface Holder {
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array>
}

/** `padded` is null for what is larger than the largest bucket. */
export async function sealPadded(
  sealing: ContactSealing,
  padded: Uint8Array | null,
  { kemPublicKeyB64u, context }: { readonly kemPublicKeyB64u: string; readonly context: ContactContext },
): Promise<ContactEnvelope> {
  if (!padded) throw new RangeError('The message is longer than the largest bucket')
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(kemPublicKeyB64u))
  const key = await keyOf(sealing, { sharedSecret, ciphertext }, 'encrypt')
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = contactAad(context, sealing)
  const sealed = await crypto.subtle.encrypt(parameters(nonce, additionalData), key, new Uint8Array(padded))
  return {
    kemKeyId: context.kemKeyId,
    kemCiphertextB64u: encodeBase64url(ciphertext),
    nonceB64u: encodeBase64url(nonce),
    ciphertextB64u: encodeBase64url(new Uint8Array(sealed)),
  }
}

/** Null if it was encrypted for another key or request, or modified. */
export async function openPadded(
  sealing: ContactSealing,
  envelope: ContactEnvelope,
  { holder, context }: { readonly holder: Holder; readonly context: ContactContext },
): Promise<Uint8Array | null> {
  const ciphertext = bytesOf(envelope.kemCiphertextB64u)
  const key = await keyOf(sealing, { sharedSecret: await holder.decapsulate(ciphertext), ciphertext }, 'decrypt')
  const additionalData = contactAad(context, sealing)
  const sealed = new Uint8Array(bytesOf(envelope.ciphertextB64u))
  const opened = await crypto.subtle
    .decrypt(parameters(bytesOf(envelope.nonceB64u), additionalData), key, sealed)
    .catch(() => null)
  return opened && new Uint8Array(opened)
}

async function keyOf(
  sealing: ContactSealing,
  { sharedSecret, ciphertext }: { readonly sharedSecret: Uint8Array; readonly ciphertext: Uint8Array },
  use: 'encrypt' | 'decrypt',
) {
  const label = new TextEncoder().encode(sealing)
  const raw = sha3_384(new Uint8Array([...label, ...sharedSecret, ...ciphertext])).slice(0, 32)
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, additionalData: Uint8Array) {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(additionalData) }
}
