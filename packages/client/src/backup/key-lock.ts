import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import type { WebCryptoKey } from '../signers/web-crypto-keys.ts'
import { chosenSecretOf } from '../text/chosen-secret.ts'
import { type Secret, secretOf } from '../text/secret.ts'
import { KeyExportError } from './export-error.ts'
import type { Kdf } from './exported-keys.ts'
import { nativeScrypt } from './native-scrypt.ts'

/** What a passkey gave for this purpose: `passkeyKey` of `@svc/client/browser` asks for it. */
export interface PasskeyKey {
  readonly credentialIdB64u: string
  /** 32 secret bytes: the output of the PRF extension. */
  readonly prf: Uint8Array
}

/** What exported keys are encrypted with: a passphrase, or a passkey. */
export type KeyLock = string | PasskeyKey

/** The same, as keys are derived from it. */
export type DerivingLock = Secret | PasskeyKey

/** What a new export is encrypted with. Throws a `ConfigurationError` for an empty passphrase. */
export function newLockOf(lock: KeyLock): DerivingLock {
  return typeof lock === 'string' ? chosenSecretOf(lock, 'passphrase') : lock
}

/** What opens an export. */
export function lockOf(lock: KeyLock): DerivingLock {
  return typeof lock === 'string' ? secretOf(lock) : lock
}

/** 128 MiB of memory per guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const
const PRF_BYTES = 32
const PRF_INFO = 'svc/identity-export/v1'

/** How the key of a new export is derived. */
export function newKdf(lock: DerivingLock): Kdf {
  const random = (length: number) => encodeBase64url(crypto.getRandomValues(new Uint8Array(length)))
  if (typeof lock === 'string') return { name: 'scrypt', ...COST, saltB64u: random(16) }
  return { name: 'passkey-prf', saltB64u: random(32), credentialIdB64u: lock.credentialIdB64u }
}

/** The AES-256-GCM key of an export. */
export async function keyOf(kdf: Kdf, lock: DerivingLock): Promise<WebCryptoKey> {
  if (kdf.name === 'scrypt') {
    if (typeof lock !== 'string') throw new KeyExportError('not_opened', 'These keys need a passphrase')
    return importKey(await stretched(kdf, lock))
  }
  if (typeof lock === 'string' || lock.credentialIdB64u !== kdf.credentialIdB64u)
    throw new KeyExportError('not_opened', `These keys need the passkey ${kdf.credentialIdB64u}`)
  if (lock.prf.length !== PRF_BYTES) throw new TypeError('The output of a passkey’s PRF has 32 bytes')
  const secret = await crypto.subtle.importKey('raw', owned(lock.prf), 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode(PRF_INFO)
  const parameters = { name: 'HKDF', hash: 'SHA-512', salt: owned(bytesOf(kdf.saltB64u)), info }
  return importKey(new Uint8Array(await crypto.subtle.deriveBits(parameters, secret, 256)))
}

async function stretched({ N, r, p, saltB64u }: Kdf & { name: 'scrypt' }, passphrase: Secret): Promise<Uint8Array> {
  const password = new TextEncoder().encode(passphrase)
  const salt = bytesOf(saltB64u)
  const native = nativeScrypt(password, salt, { N, r, p })
  if (native) return native
  const { scryptAsync } = await import('@noble/hashes/scrypt.js')
  return scryptAsync(password, salt, { N, r, p, dkLen: 32 }).catch((cause: unknown) => {
    if (!(cause instanceof RangeError)) throw cause
    const mebibytes = (128 * N * r) / 2 ** 20
    throw new KeyExportError('not_opened', `This takes ${mebibytes} MiB of memory, which this device does not have`, {
      cause,
    })
  })
}

function importKey(raw: Uint8Array): Promise<WebCryptoKey> {
  return crypto.subtle.importKey('raw', owned(raw), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/** WebCrypto accepts only bytes of an ArrayBuffer, never of a shared one. */
export function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
