import { KEM_CIPHERTEXT_BYTES } from '#protocol/base/labels'
import { checkCall, type Members } from '../arguments/check.ts'
import { derivedKey } from '../identity/derived-key.ts'
import { keptToPurpose } from './kept-to-purpose.ts'
import type { KeyAgreement, Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'
import type { WebCryptoKey, WebCryptoKeyPair } from './web-crypto-keys.ts'

/** The key pairs of an identity or a device in WebCrypto. They can be stored in IndexedDB, and their secrets read by nobody. */
export interface WebCryptoKeys {
  readonly signing: WebCryptoKeyPair
  readonly kem: WebCryptoKeyPair
}

const KEY_PAIR: Members<WebCryptoKeyPair> = { privateKey: 1, publicKey: 1 }

const DSA = 'ML-DSA-65'
const KEM = 'MLKEM768-X25519'

/** What the installed types do not declare yet. */
interface Subtle {
  generateKey(algorithm: string, extractable: boolean, usages: readonly string[]): Promise<WebCryptoKeyPair>
  exportKey(format: 'raw-public', key: WebCryptoKey): Promise<ArrayBuffer>
  sign(algorithm: string, key: WebCryptoKey, message: Uint8Array): Promise<ArrayBuffer>
  decapsulateBits(algorithm: string, key: WebCryptoKey, ciphertext: Uint8Array): Promise<ArrayBuffer>
}

const subtle = () => crypto.subtle as unknown as Subtle

/** Whether this runtime has ML-DSA-65 and X-Wing (`MLKEM768-X25519`) in WebCrypto. */
export function supportsWebCryptoKeys(): boolean {
  const { SubtleCrypto } = globalThis as unknown as {
    readonly SubtleCrypto?: { supports?(operation: string, algorithm: string): boolean }
  }
  const needed = [
    ['generateKey', DSA],
    ['sign', DSA],
    ['generateKey', KEM],
    ['decapsulateBits', KEM],
  ] as const
  return needed.every(([operation, algorithm]) => SubtleCrypto?.supports?.(operation, algorithm) === true)
}

/**
 * Generates keys that cannot be extracted: not by this program, nor by one that takes it over, which could only use them.
 * Nor can they be backed up. Throws a `SignerError` with the reason `unavailable` if the runtime has no such keys.
 */
export async function generateWebCryptoKeys(): Promise<WebCryptoKeys> {
  if (!supportsWebCryptoKeys())
    throw new SignerError(
      'unavailable',
      null,
      'This runtime has no ML-DSA-65 and MLKEM768-X25519 in WebCrypto: keep an encrypted export instead',
    )
  const [signing, kem] = await Promise.all([
    subtle().generateKey(DSA, false, ['sign', 'verify']),
    subtle().generateKey(KEM, false, ['encapsulateBits', 'decapsulateBits']),
  ])
  return { signing, kem }
}

/** Signs with a key pair of WebCrypto. */
export async function webCryptoSigner(keys: WebCryptoKeyPair): Promise<Signer> {
  checkCall('webCryptoSigner', [keys], [['keys', KEY_PAIR]])
  const { privateKey, publicKey } = keys
  return keptToPurpose({
    publicKey: await rawOf(publicKey),
    sign: async (bytes) => new Uint8Array(await subtle().sign(DSA, privateKey, bytes)),
  })
}

/** Unwraps with a key pair of WebCrypto. It opens nothing that is encrypted with ML-KEM-768 alone. */
export async function webCryptoKeyAgreement(keys: WebCryptoKeyPair): Promise<KeyAgreement> {
  checkCall('webCryptoKeyAgreement', [keys], [['keys', KEY_PAIR]])
  const { privateKey, publicKey } = keys
  return {
    publicKey: await rawOf(publicKey),
    async unwrap(ciphertext, purpose) {
      if (ciphertext.length === KEM_CIPHERTEXT_BYTES)
        throw new SignerError(
          'unavailable',
          null,
          'This was encrypted with ML-KEM-768 alone, which a key pair of WebCrypto cannot open',
        )
      const secret = new Uint8Array(await subtle().decapsulateBits(KEM, privateKey, ciphertext))
      return derivedKey(secret, ciphertext, purpose)
    },
  }
}

async function rawOf(publicKey: WebCryptoKey): Promise<Uint8Array> {
  return new Uint8Array(await subtle().exportKey('raw-public', publicKey))
}
