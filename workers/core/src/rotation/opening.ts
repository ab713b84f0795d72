import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  ROTATION_REQUEST_PERIOD_MS,
  type RotationBasis,
  type RotationRecord,
  rotationIdOf,
  type SignedRotationRequest,
} from '@svc/protocol/chain/rotation'
import { rotationOpened } from '@svc/protocol/keys/replacement'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import { checkRequest, type RequestedRotation, type RequestRefusal, type RotationGate } from './request-rules.ts'
import { isFlooded, mayOpen, type Rotation, strengthOf } from './rules.ts'
import { RotationSigners } from './signers.ts'
import { type Disputed, deadlineOf, decideOpening, mayDispute, type OpeningDecision } from './succession-rules.ts'

/** The keys whose signatures on a request were verified. */
export interface RequestSigners {
  /** The root key; null if only the new key signed. */
  readonly signerUserId: string | null
  /** Devices that co-sign in the same act. */
  readonly cosigners: readonly string[]
}

/** How an accepted request is opened. */
export interface Accepted {
  readonly basis: RotationBasis
  readonly decision: OpeningDecision
}

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
    signers: RequestSigners,
    gate: RotationGate,
  ): Result<Accepted, RequestRefusal> {
    const { rotations, identities } = this.#transaction
    const { signerUserId, cosigners } = signers
    const isCosigned = cosigners.length > 0
    const checked = checkRequest(identity, statement, { signerUserId, isCosigned }, gate, (id) => identities.hasKey(id))
    if (!checked.ok) return checked
    const basis = checked.value
    const decided = this.#decide(identity, { ...statement, basis, cosigners })
    if (!decided.ok) return decided
    const { version } = statement
    // What is stronger is bounded by itself: it ends by a dispute at most.
    const isCounted = basis === 'replacement' || (strengthOf({ basis, version, cosigners }) < 3 && !isCosigned)
    const since = Date.now() - ROTATION_REQUEST_PERIOD_MS
    const recent = isCounted ? rotations.openedSince(since, identity.current.epoch + 1) : 0
    return isFlooded(recent) ? err({ reason: 'rotation_limit' }) : ok({ basis, decision: decided.value })
  }

  /** R14: the strongest requests that have ended each other in this epoch. */
  disputed({ current }: IdentityRecord): Disputed {
    const strengths = this.#transaction.rotations.disputed(current.epoch + 1).map(strengthOf)
    return strengths.includes(4) ? 4 : strengths.includes(3) ? 3 : 0
  }

  /** Opens a request, or opens it again, in the place of what is pending, or against it. */
  open(
    identity: IdentityRecord,
    signed: SignedRotationRequest,
    { basis, decision }: Accepted,
    { times }: RotationGate,
    now: number,
  ): RotationRecord {
    const { version, epoch, newPublicKeyB64u } = signed.statement
    const { rotations } = this.#transaction
    const rotationId = rotationIdOf(signed.statement)
    const isDispute = decision === 'disputes'
    if (isDispute) this.#dispute(now)
    else this.displace(now)
    rotations.prune(now - ROTATION_REQUEST_PERIOD_MS, identity.current.epoch)
    rotations.open(
      {
        rotationId,
        kind: 'rotation',
        basis,
        version,
        epoch,
        newUserId: userIdOfKey(newPublicKeyB64u),
        requestedAt: now,
        deadline: deadlineOf(basis, version, now, times),
        ...this.#signers.factsFor(identity, { basis, version }, times, now),
      },
      signed,
    )
    if (isDispute) rotations.dispute(rotationId, now)
    // Rule R19: its place in the log shows readers how long the request was public.
    if (basis === 'replacement') {
      const statement = rotationOpened({ did: identity.did, rotationId, requestedAt: now })
      this.#transaction.updates.add({ kind: 'opened', statement }, now)
    }
    return rotations.recordOf(rotationId)
  }

  displace(now: number): void {
    const pending = this.#transaction.rotations.pending()
    if (pending) this.#transaction.rotations.displace(pending.rotationId, now)
  }

  #dispute(now: number): void {
    const pending = this.#transaction.rotations.pending()
    if (pending) this.#transaction.rotations.dispute(pending.rotationId, now)
  }

  #decide(
    identity: IdentityRecord,
    wanted: RequestedRotation & Pick<Rotation, 'basis' | 'cosigners'>,
  ): Result<OpeningDecision, RequestRefusal> {
    const pending = this.#transaction.rotations.pending()
    const refused = (reason: 'rotation_pending' | 'rotation_disputed'): Result<never, RequestRefusal> =>
      reason === 'rotation_pending' && pending
        ? err({ reason, rotationId: pending.rotationId })
        : err({ reason: 'rotation_disputed' })
    if (wanted.basis === 'root') {
      if (pending && !mayOpen(pending, wanted.cosigners.length > 0)) return refused('rotation_pending')
      return ok(pending ? 'displaces' : 'opens')
    }
    const decided = decideOpening(
      pending,
      wanted,
      this.disputed(identity),
      pending !== null && this.#isRival(pending, wanted),
    )
    if (!decided.ok) return refused(decided.error.reason)
    const isLate = decided.value === 'disputes' && pending && !mayDispute(pending, wanted.cosigners)
    return isLate ? refused('rotation_pending') : decided
  }

  /** Whether a request wants something else than what is pending: another key, other successors, or no end. */
  #isRival(pending: Rotation, wanted: RequestedRotation): boolean {
    const request = this.#transaction.rotations.request(pending.rotationId)
    return request === null || wishOf(request.statement) !== wishOf(wanted)
  }
}

const wishOf = ({
  newPublicKeyB64u,
  next,
  replaceable,
}: Omit<RequestedRotation, 'did' | 'scope' | 'epoch' | 'version'>) =>
  JSON.stringify([newPublicKeyB64u, next.toSorted(), replaceable])
