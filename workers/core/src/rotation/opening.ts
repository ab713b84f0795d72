import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  ROTATION_REQUEST_PERIOD_MS,
  type RotationRecord,
  rotationIdOf,
  type SignedRotationRequest,
} from '@svc/protocol/chain/rotation'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import {
  checkRequest,
  isFlooded,
  mayOpen,
  type RequestedRotation,
  type RequestRefusal,
  type RotationGate,
} from './rules.ts'
import { RotationSigners } from './signers.ts'

/** Makes a request the pending one, alone or with what carries it. Call inside a transaction. */
export class RotationOpening {
  readonly #transaction: IdentityTransaction
  readonly #signers: RotationSigners

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#signers = new RotationSigners(transaction)
  }

  /** The rules for a request, and those for opening it beside what is pending. */
  check(
    identity: IdentityRecord,
    statement: RequestedRotation,
    signerUserId: string,
    gate: RotationGate,
    isCosigned: boolean,
  ): Result<void, RequestRefusal> {
    const { rotations, identities } = this.#transaction
    const checked = checkRequest(identity, statement, signerUserId, gate, (id) => identities.hasKey(id))
    if (!checked.ok) return checked
    const pending = rotations.pending()
    if (pending && !mayOpen(pending, isCosigned)) {
      return err({ reason: 'rotation_pending', rotationId: pending.rotationId })
    }
    const recent = rotations.openedSince(Date.now() - ROTATION_REQUEST_PERIOD_MS)
    return !isCosigned && isFlooded(recent) ? err({ reason: 'rotation_limit' }) : ok(undefined)
  }

  /** Opens a request, or opens it again, in the place of what is pending. */
  open(identity: IdentityRecord, signed: SignedRotationRequest, { times }: RotationGate, now: number): RotationRecord {
    const { version, epoch, newPublicKeyB64u } = signed.statement
    const rotationId = rotationIdOf(signed.statement)
    this.displace(now)
    this.#transaction.rotations.prune(now - ROTATION_REQUEST_PERIOD_MS)
    this.#transaction.rotations.open(
      {
        rotationId,
        kind: 'rotation',
        version,
        epoch,
        newUserId: userIdOfKey(newPublicKeyB64u),
        requestedAt: now,
        deadline: version === 2 ? now + times.windowMs : null,
        ...this.#signers.factsFor(identity, version, times, now),
      },
      signed,
    )
    return this.#transaction.rotations.recordOf(rotationId)
  }

  displace(now: number): void {
    const pending = this.#transaction.rotations.pending()
    if (pending) this.#transaction.rotations.displace(pending.rotationId, now)
  }
}
