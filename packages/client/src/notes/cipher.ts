/**
 * Encryption of notes. Each version has a random data key; the content is encrypted under it with AES-256-GCM and bound
 * to the header by its digest. The data key is wrapped for each reader: ML-KEM-768 to the reader's key, HKDF with
 * SHA3-384 over the shared secret, and RFC 5649 key wrap.
 *
 * @module
 */
import { aeskwp } from '@noble/ciphers/aes.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha3_384 } from '@noble/hashes/sha3.js'
import { mlKem768 } from '#pqc'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { kemKeyId } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import type { WrappedKey } from '#protocol/notes/notes'
import { unverified } from '../verification/verification-error.ts'

const LABEL = /* @__PURE__ */ pure(() => new TextEncoder().encode('svc/dek-wrap/v2'))
const KEY_BYTES = 32

/** A reader: an identity, or a device of one. */
export interface Reader {
  readonly kemPublicKeyB64u: string
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array>
}

export interface SealedBytes {
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export function newDataKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES))
}

export async function encrypt(plaintext: Uint8Array, dataKey: Uint8Array, aad: Uint8Array): Promise<SealedBytes> {
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const key = await importKey(dataKey, 'encrypt')
  const sealed = await crypto.subtle.encrypt(parameters(nonce, aad), key, new Uint8Array(plaintext))
  return { nonce, ciphertext: new Uint8Array(sealed) }
}

/** Throws if the key is wrong or anything was modified; these cannot be told apart. */
export async function decrypt(
  { nonce, ciphertext }: SealedBytes,
  dataKey: Uint8Array,
  aad: Uint8Array,
): Promise<Uint8Array> {
  const key = await importKey(dataKey, 'decrypt')
  const opened = await crypto.subtle.decrypt(parameters(nonce, aad), key, new Uint8Array(ciphertext)).catch(() => {
    throw unverified('note', 'modified', 'The note was modified, or the key is wrong')
  })
  return new Uint8Array(opened)
}

/** Wraps the data key for one reader. */
export async function wrapKey(dataKey: Uint8Array, readerKeyB64u: string): Promise<WrappedKey> {
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(readerKeyB64u))
  return {
    kemKeyId: kemKeyId(readerKeyB64u),
    kemCiphertextB64u: encodeBase64url(ciphertext),
    wrap: 'aes-kwp',
    wrappedB64u: encodeBase64url(aeskwp(keyEncryptionKey(sharedSecret)).encrypt(dataKey)),
  }
}

/** Unwraps the data key with whichever of the readers it was wrapped for. */
export async function unwrapKey(wrapped: readonly WrappedKey[], readers: readonly Reader[], aad: Uint8Array) {
  for (const reader of readers) {
    const one = wrapped.find(({ kemKeyId: id }) => id === kemKeyId(reader.kemPublicKeyB64u))
    if (!one) continue
    const kek = keyEncryptionKey(await reader.decapsulate(bytesOf(one.kemCiphertextB64u)))
    const bytes = bytesOf(one.wrappedB64u)
    const dataKey =
      one.wrap === 'aes-kwp'
        ? unwrapped(kek, bytes)
        : await decrypt({ nonce: bytesOf(one.nonceB64u), ciphertext: bytes }, kek, aad)
    if (dataKey.length === KEY_BYTES) return dataKey
    throw unverified('note', 'malformed', 'The key of the note has another length')
  }
  throw unverified('note', 'wrong_key', 'The note is not encrypted for any of these keys')
}

function unwrapped(kek: Uint8Array, wrapped: Uint8Array): Uint8Array {
  try {
    return aeskwp(kek).decrypt(wrapped)
  } catch {
    throw unverified('note', 'modified', 'The key of the note was modified, or it was wrapped for another key')
  }
}

/** Matches `policy.dekWrap.hkdf` in the capabilities. */
function keyEncryptionKey(sharedSecret: Uint8Array): Uint8Array {
  return hkdf(sha3_384, sharedSecret, LABEL, LABEL, KEY_BYTES)
}

function importKey(raw: Uint8Array, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, aad: Uint8Array) {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(aad) }
}
