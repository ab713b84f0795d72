/**
 * `CryptoKey` and `CryptoKeyPair`: the types of Node.js have no such names, and those of browsers need not be there.
 *
 * @module
 */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export interface WebCryptoKeyPair {
  readonly publicKey: WebCryptoKey
  readonly privateKey: WebCryptoKey
}
