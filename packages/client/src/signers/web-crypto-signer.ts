import { xWingCiphertextParts, xWingSecretOf } from '#pqc'
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
  readonly kem: WebCryptoKemKeys
}

/**
 * The two key pairs of one X-Wing key. They are separate because Chromium cannot store a key pair of `MLKEM768-X25519`:
 * its structured clone is null.
 */
export interface WebCryptoKemKeys {
  readonly mlKem: WebCryptoKeyPair
  readonly x25519: WebCryptoKeyPair
}

const KEY_PAIR: Members<WebCryptoKeyPair> = { privateKey: 1, publicKey: 1 }
const KEM_KEYS: Members<WebCryptoKemKeys> = { mlKem: 1, x25519: 1 }

const DSA = 'ML-DSA-65'
const KEM = 'ML-KEM-768'
const ECDH = 'X25519'
const AGREED_BITS = 256

/** What the installed types do not declare yet. */
interface Subtle {
  generateKey(algorithm: string, extractable: boolean, usages: readonly string[]): Promise<WebCryptoKeyPair>
  importKey(format: 'raw-public', key: Uint8Array, name: string, extractable: true, usages: []): Promise<WebCryptoKey>
  exportKey(format: 'raw-public', key: WebCryptoKey): Promise<ArrayBuffer>
  sign(algorithm: string, key: WebCryptoKey, message: Uint8Array): Promise<ArrayBuffer>
  decapsulateBits(algorithm: string, key: WebCryptoKey, ciphertext: Uint8Array): Promise<ArrayBuffer>
  deriveBits(algorithm: { name: string; public: WebCryptoKey }, key: WebCryptoKey, bits: number): Promise<ArrayBuffer>
}

const subtle = () => crypto.subtle as unknown as Subtle

/** Returns whether this runtime supports ML-DSA-65, ML-KEM-768 and X25519 in WebCrypto. */
export function supportsWebCryptoKeys(): boolean {
  const { SubtleCrypto } = globalThis as unknown as {
    readonly SubtleCrypto?: { supports?(operation: string, algorithm: string): boolean }
  }
  const needed = [
    ['generateKey', DSA],
    ['sign', DSA],
    ['generateKey', KEM],
    ['decapsulateBits', KEM],
    ['generateKey', ECDH],
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
      'This runtime does not have ML-DSA-65, ML-KEM-768 and X25519 in WebCrypto: keep an encrypted export instead',
    )
  const [signing, mlKem, x25519] = await Promise.all([
    subtle().generateKey(DSA, false, ['sign', 'verify']),
    subtle().generateKey(KEM, false, ['encapsulateBits', 'decapsulateBits']),
    subtle().generateKey(ECDH, false, ['deriveBits']),
  ])
  return { signing, kem: { mlKem, x25519 } }
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

/** Returns a key agreement that unwraps with key pairs of WebCrypto. */
export async function webCryptoKeyAgreement(keys: WebCryptoKemKeys): Promise<KeyAgreement> {
  checkCall('webCryptoKeyAgreement', [keys], [['keys', KEM_KEYS]])
  const { mlKem, x25519 } = keys
  const [mlKemPublicKey, x25519PublicKey] = await Promise.all([rawOf(mlKem.publicKey), rawOf(x25519.publicKey)])
  const secretOfMlKem = async (ciphertext: Uint8Array) =>
    new Uint8Array(await subtle().decapsulateBits(KEM, mlKem.privateKey, ciphertext))
  const secretOf = async (ciphertext: Uint8Array) => {
    const parts = xWingCiphertextParts(ciphertext)
    const ephemeral = await subtle().importKey('raw-public', parts.ephemeral, ECDH, true, [])
    const [mlKemSecret, agreed] = await Promise.all([
      secretOfMlKem(parts.mlKem),
      subtle().deriveBits({ name: ECDH, public: ephemeral }, x25519.privateKey, AGREED_BITS),
    ])
    return xWingSecretOf({
      mlKemSecret,
      x25519Secret: new Uint8Array(agreed),
      ephemeral: parts.ephemeral,
      x25519PublicKey,
    })
  }
  return {
    publicKey: new Uint8Array([...mlKemPublicKey, ...x25519PublicKey]),
    async unwrap(given, { label, info }) {
      const [ciphertext, context] = [given.slice(), info.slice()]
      // Clients that do not know the X25519 key send ciphertexts of ML-KEM-768 alone.
      const secret = await (ciphertext.length === KEM_CIPHERTEXT_BYTES ? secretOfMlKem : secretOf)(ciphertext)
      return derivedKey(secret, ciphertext, { label, info: context })
    },
  }
}

async function rawOf(publicKey: WebCryptoKey): Promise<Uint8Array> {
  return new Uint8Array(await subtle().exportKey('raw-public', publicKey))
}
