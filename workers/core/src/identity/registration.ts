import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { DidService, StandingRegistration } from '@svc/protocol/did/registration'
import type { IdentityRecord } from './rules.ts'
import { IDENTITY } from './schema.ts'
import type { IdentityTransaction } from './transaction.ts'

export type RegistrationRefusal = { readonly reason: 'not_found' | 'invalid_signature' | 'stale' }

/** The registration of an identity for resolution, inside its object. */
export class RegistrationTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /**
   * Registers the DID for resolution, or updates its registration: statement and services together, or neither.
   * `signerUserId` is the key whose signature on the statement was verified; it must still be the root key here.
   */
  register(
    services: readonly DidService[] | undefined,
    statement: { readonly signed: SignedKeyAgreement; readonly signerUserId: string } | null,
  ): Result<StandingRegistration, RegistrationRefusal> {
    const { stored, identities } = this.#transaction
    if (!stored.is(IDENTITY)) return err({ reason: 'not_found' })
    return stored.transact((): Result<StandingRegistration, RegistrationRefusal> => {
      const identity = this.#transaction.read()
      if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
      const now = Date.now()
      const refusal = statement && this.#putKeyAgreement(identity, statement.signed, statement.signerUserId, now)
      return refusal ? err(refusal) : ok(identities.putRegistration(services, now))
    })
  }

  /** A statement is replaced only by a newer one. Idempotent for the same statement. */
  #putKeyAgreement(
    { current }: IdentityRecord,
    signed: SignedKeyAgreement,
    signerUserId: string,
    now: number,
  ): RegistrationRefusal | null {
    const { identities } = this.#transaction
    if (current.userId !== signerUserId) return { reason: 'invalid_signature' }
    const known = identities.keyAgreement(current.epoch)
    if (known?.signed.signatureB64u === signed.signatureB64u) return null
    if (known && known.signed.statement.issuedAt >= signed.statement.issuedAt) return { reason: 'stale' }
    identities.putKeyAgreement(signed, current.epoch, now)
    return null
  }
}
