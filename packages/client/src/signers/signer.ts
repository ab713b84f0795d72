import type { SigningPurpose } from '../identity/signing-key.ts'

/**
 * A signing key, wherever it is: in memory, in the runtime's WebCrypto, in another program or in a KMS. What it signs is
 * always of one of the purposes, so a signer can show its owner what is signed, and refuse.
 */
export interface Signer {
  /** ML-DSA-65 public key, 1,952 bytes. */
  readonly publicKey: Uint8Array
  /**
   * A pure ML-DSA-65 signature with an empty context over exactly these bytes, 3,309 bytes. `await classify(bytes)` is
   * `purpose`. To refuse, throw a `SignerError` with the reason `refused`.
   */
  sign(bytes: Uint8Array, purpose: SigningPurpose): Uint8Array | Promise<Uint8Array>
}

/** An ML-KEM-768 key, for what others encrypt to an identity or a device: notes, inbox, messages of pairing. */
export interface KeyAgreement {
  /** ML-KEM-768 public key, 1,184 bytes. */
  readonly publicKey: Uint8Array
  /** The shared secret, 32 bytes, of a ciphertext of 1,088 bytes. */
  decapsulate(ciphertext: Uint8Array): Uint8Array | Promise<Uint8Array>
}
