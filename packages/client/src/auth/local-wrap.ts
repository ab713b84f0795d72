/**
 * Encrypts a secret of an application on this device under a key from sign-in: the export key of OPAQUE or the PRF of a
 * passkey. The SDK derives nothing else from such a key: the seeds of an identity are random and do not change with a
 * password.
 *
 * @module
 */
import { gcm } from '@noble/ciphers/aes.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type LocallyWrapped, locallyWrappedSchema, MAX_LOCAL_SECRET_BYTES } from '#protocol/auth/local-wrap'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { jcsBytes } from '#protocol/base/jcs'
import { checkCall } from '../arguments/check.ts'
import { readContent } from '../verification/read-content.ts'

export type { LocallyWrapped }

const MIN_KEY_BYTES = 32

/** Encrypts a secret of one application. `key` is the export key of a login, or the PRF output of a passkey. */
export function wrapLocal(key: Uint8Array, application: string, secret: Uint8Array): LocallyWrapped {
  checkCall('wrapLocal', [key, application, secret], ['key', 'application', 'secret'])
  if (secret.length > MAX_LOCAL_SECRET_BYTES) {
    throw new RangeError(`A secret must have at most ${MAX_LOCAL_SECRET_BYTES} bytes`)
  }
  const salt = crypto.getRandomValues(new Uint8Array(32))
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const about = {
    type: 'svc/local-wrap/v1' as const,
    application,
    saltB64u: encodeBase64url(salt),
    nonceB64u: encodeBase64url(nonce),
  }
  const sealed = gcm(wrapKey(key, application, salt), nonce, jcsBytes(about)).encrypt(secret)
  return locallyWrappedSchema.parse({ ...about, ciphertextB64u: encodeBase64url(sealed) })
}

/** Decrypts it. Throws for another key, another application, or modified data. */
export function unwrapLocal(key: Uint8Array, application: string, wrapped: unknown): Uint8Array {
  checkCall('unwrapLocal', [key, application, wrapped], ['key', 'application', 'wrapped?'])
  const { ciphertextB64u, ...about } = readContent('answer', locallyWrappedSchema, wrapped)
  if (about.application !== application) throw new Error('This was encrypted for another application')
  const cipher = gcm(wrapKey(key, application, bytesOf(about.saltB64u)), bytesOf(about.nonceB64u), jcsBytes(about))
  return cipher.decrypt(bytesOf(ciphertextB64u))
}

/** HKDF-SHA-512 over the key, with the application in the info, so keys of different applications are independent. */
function wrapKey(key: Uint8Array, application: string, salt: Uint8Array): Uint8Array {
  if (key.length < MIN_KEY_BYTES) throw new RangeError(`A key must have at least ${MIN_KEY_BYTES} bytes`)
  return hkdf(sha512, key, salt, concatBytes(utf8ToBytes('svc/local-wrap/v1 '), utf8ToBytes(application)), 32)
}
