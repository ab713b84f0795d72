import type { KeyPurpose } from '#protocol/base/key-agreement'
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

/** An X-Wing key, for what others encrypt to an identity or a device: notes, inbox, messages of pairing. */
export interface KeyAgreement {
  /** X-Wing public key, 1,216 bytes: one of ML-KEM-768, then one of X25519. */
  readonly publicKey: Uint8Array
  /**
   * A key of 32 bytes: HKDF with SHA3-384 over the shared secret of the ciphertext. The salt is `label`, and the info are the
   * SHA3-384 of the ciphertext and that of `info`, one after the other. The secret itself stays here: with it, everything that was encrypted to this key could be
   * opened, whatever it was for. `label` says what for, and `info` is JSON that a person can be shown.
   *
   * The ciphertext has 1,120 bytes. One of 1,088 bytes is of ML-KEM-768 alone, as clients of the inbox may send it: to
   * refuse it, throw a `SignerError`.
   */
  unwrap(ciphertext: Uint8Array, purpose: KeyPurpose): Uint8Array | Promise<Uint8Array>
}
