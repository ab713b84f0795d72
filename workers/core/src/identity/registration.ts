import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { DidService, StandingRegistration } from '@svc/protocol/did/registration'
import { type AgreementRefusal, agreeAgain, type IdentityRecord } from './rules.ts'
import { IDENTITY } from './schema.ts'
import type { IdentityTransaction } from './transaction.ts'

export type RegistrationRefusal = AgreementRefusal | { readonly reason: 'not_found' | 'invalid_signature' }

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
    const { identities, updates } = this.#transaction
    if (current.userId !== signerUserId) return { reason: 'invalid_signature' }
    const known = identities.newestAgreement()
    if (known?.signed.signatureB64u === signed.signatureB64u) return null
    const { epoch } = current
    const { issuedAt } = signed.statement
    const before = known && { ...known, issuedAt: known.signed.statement.issuedAt }
    const agreed = agreeAgain(before, { epoch, issuedAt }, now)
    if (!agreed.ok) return agreed.error
    identities.putAgreement({ epoch, signed, acceptedAt: agreed.value })
    updates.add({ kind: 'agreement', statement: signed.statement }, now)
    return null
  }
}
