export type Backend = 'native' | 'noble'

/** Pure ML-DSA-65 with an empty context. Signatures are hedged, so two over the same message differ. */
export interface MlDsa65 {
  readonly backend: Backend
  publicKeyOf(seed: Uint8Array): Promise<Uint8Array>
  sign(seed: Uint8Array, message: Uint8Array): Promise<Uint8Array>
  /** Signer with the key prepared once for reuse. The key stays in memory as long as the signer. */
  signerOf(seed: Uint8Array): Promise<(message: Uint8Array) => Promise<Uint8Array>>
  /** False for anything but a valid signature, including wrong lengths and types. Never throws because of its input. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>
  /** Verifier with the key prepared once for reuse; returns what `verify` would. Rejects input that is not a key. */
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
  /** A ciphertext made for another key yields a secret no one else has (implicit rejection) rather than an error. */
  decapsulate(seed: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array>
  /** `decapsulate` with the key prepared once for reuse. The key stays in memory as long as the function. */
  decapsulatorOf(seed: Uint8Array): Promise<(ciphertext: Uint8Array) => Promise<Uint8Array>>
}

/** The hybrid of ML-KEM-768 and X25519: secret as long as one of the two holds. Both keys come from one seed. */
export interface XWing {
  readonly backend: Backend
  /** The ML-KEM-768 key, then the X25519 key. */
  publicKeyOf(seed: Uint8Array): Promise<Uint8Array>
  /** The ciphertext is ML-KEM-768's, then the ephemeral X25519 key. */
  encapsulate(publicKey: Uint8Array): Promise<Encapsulation>
  /** As with ML-KEM-768, a ciphertext made for another key yields a secret no one else has. */
  decapsulate(seed: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array>
  /** `decapsulate` with the key prepared once for reuse. The key stays in memory as long as the function. */
  decapsulatorOf(seed: Uint8Array): Promise<(ciphertext: Uint8Array) => Promise<Uint8Array>>
}

/** HashML-DSA-65 with SHA3-384 and an empty context, over a digest computed by the caller. */
export interface HashMlDsa65 {
  sign(seed: Uint8Array, digest: Uint8Array): Promise<Uint8Array>
  /** Like `MlDsa65.verify`; also false for a digest that is not 48 bytes long. */
  verify(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): Promise<boolean>
}
