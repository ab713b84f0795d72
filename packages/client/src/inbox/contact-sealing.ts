/**
 * Encryption to the owner of an asset: AES-256-GCM under a key derived from ML-KEM-768 and X25519 to the owner's keys.
 * Request, asset and key are authenticated; padding hides the length.
 *
 * @module
 */
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { ciphertextOf, type HybridKey, hybridCiphertextOf } from '#protocol/base/key-agreement'
import {
  type ContactContext,
  type ContactEnvelope,
  type ContactMessage,
  type ContactSealing,
  contactAad,
  contactPurpose,
  padMessage,
  unpadMessage,
} from '#protocol/inbox/inbox'
import { newKeyFor } from '../identity/new-key.ts'
import type { Unwrap } from '../identity/unwrapper.ts'
import { unverified } from '../verification/verification-error.ts'

/** Throws a RangeError for a message above 65,535 bytes of canonical JSON, and the runtime's error for a bad key. */
export function sealContact(message: ContactMessage, key: HybridKey, context: ContactContext): Promise<HybridEnvelope> {
  return sealPadded('svc/contact/v1', padMessage(message), { key, context })
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
  readonly unwrap: Unwrap
}

/** What clients of this SDK make. */
export type HybridEnvelope = ContactEnvelope & { readonly ephemeralB64u: string }

/** `padded` is null for what is larger than the largest bucket. */
export async function sealPadded(
  sealing: ContactSealing,
  padded: Uint8Array | null,
  { key: recipient, context }: { readonly key: HybridKey; readonly context: ContactContext },
): Promise<HybridEnvelope> {
  if (!padded) throw new RangeError('The message is longer than the largest bucket')
  const { key: raw, ciphertext } = await newKeyFor(recipient, contactPurpose(context, sealing))
  const key = await importKey(raw, 'encrypt')
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = contactAad(context, sealing)
  const sealed = await crypto.subtle.encrypt(parameters(nonce, additionalData), key, new Uint8Array(padded))
  return {
    kemKeyId: context.kemKeyId,
    ...hybridCiphertextOf(ciphertext),
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
  const key = await importKey(await holder.unwrap(ciphertextOf(envelope), contactPurpose(context, sealing)), 'decrypt')
  const additionalData = contactAad(context, sealing)
  const sealed = new Uint8Array(bytesOf(envelope.ciphertextB64u))
  const opened = await crypto.subtle
    .decrypt(parameters(bytesOf(envelope.nonceB64u), additionalData), key, sealed)
    .catch(() => null)
  return opened && new Uint8Array(opened)
}

function importKey(raw: Uint8Array, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, additionalData: Uint8Array) {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(additionalData) }
}
