import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { isCommitted } from '@svc/protocol/chain/commitment'
import { type Deactivated, deactivationIdOf, type SignedDeactivation } from '@svc/protocol/chain/deactivation'
import { ROTATION_REQUEST_PERIOD_MS, type RotationStatus } from '@svc/protocol/chain/rotation'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { RotationOpening } from './opening.ts'
import { decideDeactivation, isFlooded, mayOpen, type Times } from './rules.ts'
import { RotationSigners } from './signers.ts'
import { decideOpening } from './succession-rules.ts'

export type DeactivationRefusal =
  | { readonly reason: 'owner_mismatch' | 'rotation_limit' | 'successor_required' | 'rotation_disputed' }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'rotation_pending'; readonly rotationId: string }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/** Deactivation inside an identity's object: at once, or as a request that waits like a rotation. */
export class DeactivationTransaction {
  readonly #transaction: IdentityTransaction
  readonly #signers: RotationSigners

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#signers = new RotationSigners(transaction)
  }

  /** The caller has spent the assertion and verified the statement's signature by its key. Idempotent while it waits. */
  deactivate(
    spentBy: VerifiedAssertion,
    signed: SignedDeactivation,
    times: Times,
  ): Result<Deactivated, Refused | DeactivationRefusal> {
    return this.#transaction.write({ spentBy }, (identity): Result<Deactivated, DeactivationRefusal> => {
      const { did, scope, epoch } = signed.statement
      const { current } = identity
      if (did !== identity.did || scope !== identity.scope) return err({ reason: 'owner_mismatch' })
      if (epoch !== current.epoch) return err({ reason: 'stale_epoch', epoch: current.epoch })
      const { rotations, ending } = this.#transaction
      const existing = rotations.find(deactivationIdOf(signed.statement))
      if (existing?.status === 'pending') return ok(waiting(did, existing))
      if (existing) return err({ reason: 'rotation_not_pending', status: existing.status })
      const now = Date.now()
      if (identity.commitment.next.length > 0) return this.#endBySuccessor(identity, signed, times, now)
      const pending = rotations.pending()
      const spans = this.#signers.spansOf(identity, now)
      const decision = decideDeactivation(pending, spans, now, times, ending.isHeld)
      if (pending && (decision === 'overtakes' || (decision === 'waits' && !mayOpen(pending, false)))) {
        return err({ reason: 'rotation_pending', rotationId: pending.rotationId })
      }
      const since = now - ROTATION_REQUEST_PERIOD_MS
      if (decision === 'waits' && isFlooded(rotations.openedSince(since, identity.current.epoch + 1))) {
        return err({ reason: 'rotation_limit' })
      }
      if (decision === 'waits') return ok(this.#open(identity, signed, 'root', times, now))
      if (pending) rotations.displace(pending.rotationId, now)
      ending.end(signed, now)
      this.#transaction.events.add('deactivation.active', deactivationIdOf(signed.statement), now)
      return ok({ did, status: 'deactivated', deactivatedAt: now, rotationId: null, deadline: null })
    })
  }

  /** R17: by root key and successor, whose signature the caller has verified; it waits and is decided like a rotation. */
  #endBySuccessor(
    identity: IdentityRecord,
    signed: SignedDeactivation,
    times: Times,
    now: number,
  ): Result<Deactivated, DeactivationRefusal> {
    const key = signed.successorPublicKeyB64u
    if (key === undefined || !isCommitted(identity.commitment, key)) return err({ reason: 'successor_required' })
    const opening = new RotationOpening(this.#transaction)
    const pending = this.#transaction.rotations.pending()
    const wanted = { basis: 'full', version: 2, cosigners: [] } as const
    const decided = decideOpening(pending, wanted, opening.disputed(identity), false)
    if (!decided.ok) {
      const { reason } = decided.error
      return pending && reason === 'rotation_pending'
        ? err({ reason, rotationId: pending.rotationId })
        : err({ reason: 'rotation_disputed' })
    }
    opening.displace(now)
    return ok(this.#open(identity, signed, 'full', times, now))
  }

  #open(
    identity: IdentityRecord,
    signed: SignedDeactivation,
    basis: 'root' | 'full',
    times: Times,
    now: number,
  ): Deactivated {
    const opening = {
      rotationId: deactivationIdOf(signed.statement),
      kind: 'deactivation',
      basis,
      version: 2,
      epoch: identity.current.epoch + 1,
      newUserId: null,
      requestedAt: now,
      deadline: now + times.windowMs,
      ...this.#signers.factsFor(identity, { basis, version: 2 }, times, now),
    } as const
    this.#transaction.rotations.prune(now - ROTATION_REQUEST_PERIOD_MS, identity.current.epoch)
    this.#transaction.rotations.open(opening, signed)
    return waiting(identity.did, opening)
  }
}

function waiting(did: string, request: { readonly rotationId: string; readonly deadline: number | null }): Deactivated {
  const { rotationId, deadline } = request
  return { did, status: 'pending', deactivatedAt: null, rotationId, deadline }
}
