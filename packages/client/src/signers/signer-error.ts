import type { SigningPurpose } from '../identity/signing-key.ts'

/**
 * - `refused`: the signer, or the person it asked, said no.
 * - `timeout`: it did not answer in time.
 * - `unavailable`: it could not be reached, or it failed.
 * - `wrong_signature`: what it answered is not a signature over these bytes by its key. Nothing was sent.
 * - `wrong_purpose`: the bytes are not of the purpose that was given.
 */
export type SignerReason = 'refused' | 'timeout' | 'unavailable' | 'wrong_signature' | 'wrong_purpose'

/** A signer did not sign. Whatever needed the signature was not sent. */
export class SignerError extends Error {
  override readonly name = 'SignerError'
  readonly reason: SignerReason
  /** What was to be signed; null if it was another act of the signer. */
  readonly purpose: SigningPurpose | null

  constructor(reason: SignerReason, purpose: SigningPurpose | null, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.purpose = purpose
  }
}
