/**
 * Encryption of notes. Each version has a random data key; the content is encrypted under it with AES-256-GCM and bound
 * to the header by its digest. The data key is wrapped for each reader by RFC 5649, under a key derived from ML-KEM-768 and
 * X25519. The statement has the hash of the data key: a reader with another key would see another text.
 *
 * @module
 */
import { aeskwp } from '@noble/ciphers/aes.js'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { ciphertextOf, type HybridKey, hybridCiphertextOf, kemKeyId } from '#protocol/base/key-agreement'
import { dekWrapPurpose, type NotePlace, noteKeyHash } from '#protocol/notes/data-key'
import type { NoteStatement, WrappedKey } from '#protocol/notes/notes'
import { newKeyFor } from '../identity/new-key.ts'
import type { Unwrap } from '../identity/unwrapper.ts'
import { unverified } from '../verification/verification-error.ts'

const KEY_BYTES = 32

/** A reader: an identity, or a device of one. */
export interface Reader extends HybridKey {
  readonly unwrap: Unwrap
}

/** What a statement says of its data key. */
export type KeyedStatement = Pick<NoteStatement, 'realm' | 'did' | 'aadB64u' | 'keyHash' | 'wrappedKeys'> & {
  readonly header: Pick<NoteStatement['header'], 'noteId'>
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

/** Wraps the data key of a note for one reader. */
export async function wrapKey(dataKey: Uint8Array, reader: HybridKey, place: NotePlace): Promise<WrappedKey> {
  const { key, ciphertext } = await newKeyFor(reader, dekWrapPurpose(place, reader))
  return {
    kemKeyId: kemKeyId(reader.kemPublicKeyB64u),
    ...hybridCiphertextOf(ciphertext),
    wrap: 'aes-kwp',
    wrappedB64u: encodeBase64url(aeskwp(key).encrypt(dataKey)),
  }
}

/**
 * Unwraps the data key with whichever of the readers it was wrapped for. Throws unless it is the one that the statement
 * commits to.
 */
export async function unwrapKey(statement: KeyedStatement, readers: readonly Reader[]): Promise<Uint8Array> {
  const { realm, did, header, aadB64u, keyHash, wrappedKeys } = statement
  for (const reader of readers) {
    const one = wrappedKeys.find(({ kemKeyId: id }) => id === kemKeyId(reader.kemPublicKeyB64u))
    if (!one) continue
    const purpose = dekWrapPurpose({ realm, did, noteId: header.noteId }, reader)
    const kek = await reader.unwrap(ciphertextOf(one), purpose)
    const bytes = bytesOf(one.wrappedB64u)
    const dataKey =
      one.wrap === 'aes-kwp'
        ? unwrapped(kek, bytes)
        : await decrypt({ nonce: bytesOf(one.nonceB64u), ciphertext: bytes }, kek, bytesOf(aadB64u))
    if (dataKey.length !== KEY_BYTES) throw unverified('note', 'malformed', 'The key of the note has another length')
    if (noteKeyHash(dataKey) !== keyHash)
      throw unverified('note', 'mismatch', 'The key of the note is not the one that its statement names')
    return dataKey
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

function importKey(raw: Uint8Array, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, aad: Uint8Array) {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(aad) }
}
