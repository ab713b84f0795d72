export type Backend = 'native' | 'noble'

/** Pure ML-DSA-65 with an empty context; signatures are hedged, so two over one message differ. */
export interface MlDsa65 {
  readonly backend: Backend
  publicKeyOf(seed: Uint8Array): Promise<Uint8Array>
  sign(seed: Uint8Array, message: Uint8Array): Promise<Uint8Array>
  /** What signs again and again with one key, which is made ready once and stays in memory as long as the signer. */
  signerOf(seed: Uint8Array): Promise<(message: Uint8Array) => Promise<Uint8Array>>
  /** False for whatever is not a signature, wrong lengths and wrong types included; never throws over its input. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>
  /** What verifies again and again by one key, which is made ready once, and answers as `verify` does. Rejects what is no key. */
  verifierOf(publicKey: Uint8Array): Promise<Verifier>
}

export type Verifier = (message: Uint8Array, signature: Uint8Array) => Promise<boolean>

export interface Encapsulation {
  readonly ciphertext: Uint8Array
  readonly sharedSecret: Uint8Array
}

export interface MlKem768 {
  readonly backend: Backend
  publicKeyOf(seed: Uint8Array): Promise<Uint8Array>
  encapsulate(publicKey: Uint8Array): Promise<Encapsulation>
  /** A ciphertext that was not made for this key gives a secret nobody else has (implicit rejection), not an error. */
  decapsulate(seed: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array>
}

/** HashML-DSA-65 with SHA3-384 and an empty context, over a digest that the caller has computed. */
export interface HashMlDsa65 {
  sign(seed: Uint8Array, digest: Uint8Array): Promise<Uint8Array>
  /** As `MlDsa65.verify`; a digest that is not 48 bytes long is false too. */
  verify(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): Promise<boolean>
}
