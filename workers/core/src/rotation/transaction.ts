/**
 * Requests for a rotation inside an identity's object. Each method is one transaction, as in `signing.ts` and
 * `activation.ts`, so that a veto and an activation that arrive together are decided one after the other.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Commitment } from '@svc/protocol/chain/commitment'
import type { CountedDevices } from '@svc/protocol/chain/prospects'
import { type RotationRecord, rotationIdOf, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { RotationOpening } from './opening.ts'
import { countDevices } from './prospects.ts'
import {
  type CarriedRequest,
  checkRequest,
  type RequestedRotation,
  type RequestRefusal,
  type RotationGate,
} from './request-rules.ts'
import type { Approval } from './rows.ts'
import { mayApprove } from './rules.ts'
import { RotationSigners } from './signers.ts'

export interface RotationPlan {
  readonly epoch: number
  readonly eligible: readonly string[]
  readonly requiredCosigners: number
  readonly devices: CountedDevices
  readonly commitment: Commitment
}

/** `key_not_committed`: the identity has committed to its next keys, and not even the operator can name another. */
export type ApprovalRefusal = { readonly reason: 'not_found' | 'key_not_committed' }

export class RotationTransaction {
  readonly #transaction: IdentityTransaction
  readonly #signers: RotationSigners
  readonly #opening: RotationOpening

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#signers = new RotationSigners(transaction)
    this.#opening = new RotationOpening(transaction)
  }

  /** Idempotent: a repeated request returns the rotation that it opened, in any state. */
  request(
    signed: SignedRotationRequest,
    signerUserId: string | null,
    gate: RotationGate,
  ): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> {
    const { rotations, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> => {
      const identity = this.#transaction.living()
      if (!identity) return err({ reason: 'not_found' })
      const existing = rotations.find(rotationIdOf(signed.statement))
      if (existing) return ok(rotations.record(existing))
      const checked = this.#opening.check(identity, signed.statement, { signerUserId, cosigners: [] }, gate)
      return checked.ok ? ok(this.#opening.open(identity, signed, checked.value, gate, Date.now())) : checked
    })
  }

  /** What a request would open, by the rules for requests; writes nothing except the assertion's nonce. */
  rehearse(
    assertion: VerifiedAssertion,
    statement: RequestedRotation,
    gate: RotationGate,
  ): Result<RotationPlan, RequestRefusal | Refused> {
    return this.#transaction.authorized(assertion, (identity): Result<RotationPlan, RequestRefusal> => {
      const signers = { signerUserId: assertion.userId, cosigners: [] }
      const checked = this.#opening.check(identity, statement, signers, gate)
      if (!checked.ok) return checked
      const { version, epoch } = statement
      const { basis } = checked.value
      const now = Date.now()
      const { eligible, requiredCosigners } = this.#signers.factsFor(identity, { basis, version }, gate.times, now)
      const devices = countDevices(this.#signers.spansOf(identity, now), now, gate.times)
      return ok({ epoch, eligible, requiredCosigners, devices, commitment: identity.commitment })
    })
  }

  /**
   * An operator's approval of a version-1 rotation: of one that is known in any state but active, or of one that the
   * approval carries. Ends whatever else is pending. Idempotent.
   */
  approve(
    rotationId: string,
    approval: Omit<Approval, 'approvedAt'>,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): Result<void, ApprovalRefusal> {
    const { rotations, stored } = this.#transaction
    const unknown = err({ reason: 'not_found' } as const)
    return stored.transact((): Result<void, ApprovalRefusal> => {
      const identity = this.#transaction.living()
      if (!identity) return unknown
      const now = Date.now()
      const existing = rotations.find(rotationId)
      if (existing) {
        if (!mayApprove(existing) || existing.epoch !== identity.current.epoch + 1) return unknown
        if (existing.status === 'pending' && existing.approvedAt !== null) return ok(undefined)
        if (existing.status !== 'pending') this.#opening.displace(now)
        rotations.approve(rotationId, { ...approval, approvedAt: now })
        return ok(undefined)
      }
      const statement = carried?.request.statement
      if (!carried || statement?.version !== 1) return unknown
      const { identities } = this.#transaction
      const signers = { signerUserId: carried.requestedBy, isCosigned: false }
      const checked = checkRequest(identity, statement, signers, gate, (id) => identities.hasKey(id))
      if (!checked.ok)
        return checked.error.reason === 'key_not_committed' ? err({ reason: 'key_not_committed' }) : unknown
      this.#opening.open(identity, carried.request, { basis: checked.value, decision: 'displaces' }, gate, now)
      rotations.approve(rotationId, { ...approval, approvedAt: now })
      return ok(undefined)
    })
  }
}
