import type { VerifiedAssertion } from '@svc/assertion'
import type { Result } from '@svc/protocol/base/result'
import type { Deactivated, SignedDeactivation } from '@svc/protocol/chain/deactivation'
import type {
  CurrentRotation,
  RotationRecord,
  SignedCosign,
  SignedRotationRequest,
  SignedVeto,
} from '@svc/protocol/chain/rotation'
import { AnchorOwnerObject } from '../anchors/owner-object.ts'
import type { Refused } from '../identity/transaction.ts'
import { ActivationTransaction } from './activation.ts'
import { type DeactivationRefusal, DeactivationTransaction } from './deactivation.ts'
import { type KeyPage, type RootReading, RotationReading } from './reading.ts'
import type { CarriedRequest, RequestedRotation, RequestRefusal, RotationGate } from './request-rules.ts'
import type { Approval } from './rows.ts'
import type { ActivationRefusal, CosignRefusal, Times, VetoRefusal } from './rules.ts'
import { type Signing, type SigningRefusal, SigningTransaction } from './signing.ts'
import { type ApprovalRefusal, type RotationPlan, RotationTransaction } from './transaction.ts'
import { deliverUpdates } from './updates/courier.ts'
import { UpdateTransaction } from './updates/transaction.ts'

/** The part of an identity's object that rotates its root key and ends it, and reports both to the log of keys. */
export abstract class RotationObject extends AnchorOwnerObject {
  // A property of the instance: it cannot be reached over RPC.
  /** By the alarm. */
  readonly deliverUpdates = (): Promise<void> => deliverUpdates(this.#updates, this.env)
  readonly #rotation: RotationTransaction
  readonly #signing: SigningTransaction
  readonly #activation: ActivationTransaction
  readonly #rotations: RotationReading
  readonly #deactivation: DeactivationTransaction
  readonly #updates: UpdateTransaction

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#rotation = new RotationTransaction(this.transaction)
    this.#signing = new SigningTransaction(this.transaction)
    this.#activation = new ActivationTransaction(this.transaction)
    this.#rotations = new RotationReading(this.transaction)
    this.#deactivation = new DeactivationTransaction(this.transaction)
    this.#updates = new UpdateTransaction(this.transaction)
  }

  root(): RootReading | null {
    return this.#rotations.root()
  }

  requestRotation(
    signed: SignedRotationRequest,
    signerUserId: string | null,
    gate: RotationGate,
  ): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> {
    return this.#rotation.request(signed, signerUserId, gate)
  }

  rehearseRotation(
    assertion: VerifiedAssertion,
    statement: RequestedRotation,
    gate: RotationGate,
  ): Result<RotationPlan, RequestRefusal | Refused> {
    return this.#rotation.rehearse(assertion, statement, gate)
  }

  currentRotation(assertion: VerifiedAssertion): Result<CurrentRotation, Refused> {
    return this.#rotations.current(assertion)
  }

  rotation(rotationId: string | null): RotationRecord | null {
    return this.#rotations.find(rotationId)
  }

  prepareVeto(signed: SignedVeto, times: Times): Result<Signing, SigningRefusal | VetoRefusal> {
    return this.#signing.prepareVeto(signed, times)
  }

  /** The veto is in effect when this returns: no later activation can succeed. */
  veto(signed: SignedVeto, signerKeyB64u: string, times: Times): Result<RotationRecord, SigningRefusal | VetoRefusal> {
    return this.#signing.veto(signed, signerKeyB64u, times)
  }

  prepareCosign(signed: SignedCosign, carries: boolean, times: Times): Result<Signing, SigningRefusal | CosignRefusal> {
    return this.#signing.prepareCosign(signed, carries, times)
  }

  cosign(
    signed: SignedCosign,
    signerKeyB64u: string,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): Result<RotationRecord, SigningRefusal | CosignRefusal | RequestRefusal> {
    return this.#signing.cosign(signed, signerKeyB64u, carried, gate)
  }

  approveRotation(
    rotationId: string,
    approval: Omit<Approval, 'approvedAt'>,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): Result<void, ApprovalRefusal> {
    return this.#rotation.approve(rotationId, approval, carried, gate)
  }

  prepareActivation(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Result<RotationRecord, ActivationRefusal | Refused> {
    return this.#activation.prepare(assertion, rotationId, version)
  }

  prepareActivationByAnyone(rotationId: string, version: 1 | 2): Result<RotationRecord, ActivationRefusal> {
    return this.#activation.prepareByAnyone(rotationId, version)
  }

  /** When this returns, the new key is the root key and the old one is superseded. */
  activateRotation(rotationId: string): Result<RotationRecord, ActivationRefusal> {
    return this.#reported(this.#activation.activate(rotationId))
  }

  keyHistory(from: number): KeyPage | null {
    return this.#rotations.keyHistory(from)
  }

  /** Ends the identity, now or after a window; the caller has spent the assertion and verified the statement. */
  deactivate(
    spentBy: VerifiedAssertion,
    signed: SignedDeactivation,
    times: Times,
  ): Result<Deactivated, Refused | DeactivationRefusal> {
    return this.#reported(this.#deactivation.deactivate(spentBy, signed, times))
  }

  /** An alarm that is due at once delivers as soon as the act is durable, and again if the object dies before. */
  #reported<T>(outcome: T): T {
    this.#updates.wake()
    return outcome
  }
}
