/**
 * Rotation inside an identity's object: each method is one transaction, so that a veto and an activation that arrive
 * together are decided one after the other.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { CountedDevices } from '@svc/protocol/chain/prospects'
import {
  ROTATION_REQUEST_PERIOD_MS,
  type RotationRecord,
  type RotationStatus,
  rotationIdOf,
  type SignedCosign,
  type SignedRotationRequest,
  type SignedVeto,
} from '@svc/protocol/chain/rotation'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { countDevices } from './prospects.ts'
import {
  type ActivationRefusal,
  type CarriedRequest,
  type CosignRefusal,
  checkActivation,
  checkCosign,
  checkRequest,
  contestedDeadline,
  decideVeto,
  isFlooded,
  mayAnyoneActivate,
  mayApprove,
  mayOpen,
  mayReopen,
  type RequestedRotation,
  type RequestRefusal,
  type Rotation,
  type RotationGate,
  type Times,
  type VetoRefusal,
} from './rules.ts'
import { RotationSigners } from './signers.ts'
import type { Approval } from './store.ts'

export interface RotationPlan {
  readonly epoch: number
  readonly eligible: readonly string[]
  readonly requiredCosigners: number
  readonly devices: CountedDevices
}

/** The key to verify a signature with, or the rotation that already holds that signature. */
export type Signing = { readonly keyB64u: string } | { readonly placed: RotationRecord }
export type SigningRefusal =
  | { readonly reason: 'not_found' | 'owner_mismatch' | 'not_eligible' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

export class RotationTransaction {
  readonly #transaction: IdentityTransaction
  readonly #signers: RotationSigners

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#signers = new RotationSigners(transaction)
  }

  /** Idempotent: a repeated request returns the rotation that it opened, in any state. */
  request(
    signed: SignedRotationRequest,
    signerUserId: string,
    gate: RotationGate,
  ): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> {
    const { rotations, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> => {
      const identity = this.#living()
      if (!identity) return err({ reason: 'not_found' })
      const existing = rotations.find(rotationIdOf(signed.statement))
      if (existing) return ok(rotations.record(existing))
      const checked = this.#checkRequest(identity, signed.statement, signerUserId, gate, false)
      return checked.ok ? ok(this.#open(identity, signed, gate, Date.now())) : checked
    })
  }

  /** What a request would open, by the rules for requests; writes nothing except the assertion's nonce. */
  rehearse(
    assertion: VerifiedAssertion,
    statement: RequestedRotation,
    gate: RotationGate,
  ): Result<RotationPlan, RequestRefusal | Refused> {
    return this.#transaction.authorized(assertion, (identity): Result<RotationPlan, RequestRefusal> => {
      const checked = this.#checkRequest(identity, statement, assertion.userId, gate, false)
      if (!checked.ok) return checked
      const { version, epoch } = statement
      const now = Date.now()
      const { eligible, requiredCosigners } = this.#signers.factsFor(identity, version, gate.times, now)
      const devices = countDevices(this.#signers.spansOf(identity, now), now, gate.times)
      return ok({ epoch, eligible, requiredCosigners, devices })
    })
  }

  /** The key to verify a veto with, if the rules let its signer place it now. */
  prepareVeto(signed: SignedVeto, times: Times): Result<Signing, SigningRefusal | VetoRefusal> {
    const found = this.#about(signed)
    if (!found.ok) return found
    if ('placed' in found.value) return ok(found.value)
    const { identity, rotation } = found.value
    const { signedBy } = signed.statement
    const decided = this.#decideVeto(identity, rotation, signedBy, times, Date.now())
    return decided.ok ? this.#keyOf(identity, signedBy) : decided
  }

  /** `signerKeyB64u` is the key whose signature was verified; it must still be the signer's key here. */
  veto(signed: SignedVeto, signerKeyB64u: string, times: Times): Result<RotationRecord, SigningRefusal | VetoRefusal> {
    const { rotations, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, SigningRefusal | VetoRefusal> => {
      const found = this.#about(signed)
      if (!found.ok) return found
      if ('placed' in found.value) return ok(found.value.placed)
      const { identity, rotation } = found.value
      const { rotationId, signedBy } = signed.statement
      const now = Date.now()
      // Before the signer's key: an activation in the meantime also changed that, and is the actual cause.
      const decided = this.#decideVeto(identity, rotation, signedBy, times, now)
      if (!decided.ok) return decided
      const key = this.#keyOf(identity, signedBy)
      if (!key.ok) return key
      if (key.value.keyB64u !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const signer = signedBy === 'root' ? userIdOfKey(signerKeyB64u) : signedBy
      if (decided.value === 'stop') rotations.stop(signed, signer, now)
      else rotations.contest(signed, signer, contestedDeadline(rotation, times), now)
      return ok(this.#record(rotationId))
    })
  }

  /** The key to verify a co-signature with, if the rules let its signer give it now. */
  prepareCosign(signed: SignedCosign, carries: boolean, times: Times): Result<Signing, SigningRefusal | CosignRefusal> {
    const found = this.#about(signed)
    if (!found.ok) return carries && found.error.reason === 'not_found' ? this.#carrierKey(signed, times) : found
    if ('placed' in found.value) return ok(found.value)
    const { identity, rotation } = found.value
    const { signedBy } = signed.statement
    if (carries && mayReopen(rotation)) return this.#carrierKey(signed, times)
    const checked = checkCosign(rotation, signedBy)
    return checked.ok ? this.#keyOf(identity, signedBy) : checked
  }

  /**
   * A co-signature of what is pending, or one that carries its request, which it opens, reopens, or puts in the place of
   * another. `requestedBy` is the root key whose signature on the carried request was verified. Idempotent: a device
   * co-signs a rotation once.
   */
  cosign(
    signed: SignedCosign,
    signerKeyB64u: string,
    carried: CarriedRequest | null,
    gate: RotationGate,
  ): Result<RotationRecord, SigningRefusal | CosignRefusal | RequestRefusal> {
    const { rotations, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, SigningRefusal | CosignRefusal | RequestRefusal> => {
      const prepared = this.prepareCosign(signed, carried !== null, gate.times)
      if (!prepared.ok) return prepared
      if ('placed' in prepared.value) return ok(prepared.value.placed)
      if (prepared.value.keyB64u !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const identity = this.#living()
      const { rotationId } = signed.statement
      const now = Date.now()
      if (identity && carried && rotations.find(rotationId)?.status !== 'pending') {
        // An operator decides on version 1. Co-signed, it would stay pending with nobody able to stop it.
        if (carried.request.statement.version !== 2) return err({ reason: 'not_eligible' })
        const checked = this.#checkRequest(identity, carried.request.statement, carried.requestedBy, gate, true)
        if (!checked.ok) return checked
        this.#open(identity, carried.request, gate, now)
      }
      rotations.cosign(signed, now)
      return ok(this.#record(rotationId))
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
  ): boolean {
    const { rotations, stored } = this.#transaction
    return stored.transact(() => {
      const identity = this.#living()
      if (!identity) return false
      const now = Date.now()
      const existing = rotations.find(rotationId)
      if (existing) {
        if (!mayApprove(existing) || existing.epoch !== identity.current.epoch + 1) return false
        if (existing.status === 'pending' && existing.approvedAt !== null) return true
        if (existing.status !== 'pending') this.#displace(now)
        rotations.approve(rotationId, { ...approval, approvedAt: now })
        return true
      }
      const statement = carried?.request.statement
      if (!carried || statement?.version !== 1) return false
      const { identities } = this.#transaction
      const checked = checkRequest(identity, statement, carried.requestedBy, gate, (id) => identities.hasKey(id))
      if (!checked.ok) return false
      this.#open(identity, carried.request, gate, now)
      rotations.approve(rotationId, { ...approval, approvedAt: now })
      return true
    })
  }

  /** Spends the assertion and checks whether the rotation could become active now; reserves nothing. */
  prepareActivation(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Result<RotationRecord, ActivationRefusal | Refused> {
    return this.#transaction.authorized(
      assertion,
      (identity, caller): Result<RotationRecord, ActivationRefusal | { readonly reason: 'capability' }> => {
        const ready = this.#ready(identity, rotationId, version)
        if (!ready.ok) return ready
        const { device } = caller
        const isAllowed = device === null || device.capabilities.includes('rotation:request')
        return isAllowed || mayAnyoneActivate(ready.value)
          ? ok(this.#transaction.rotations.record(ready.value))
          : err({ reason: 'capability' })
      },
    )
  }

  /** The same for a caller with another identity, whose assertion is spent. */
  prepareActivationByAnyone(rotationId: string, version: 1 | 2): Result<RotationRecord, ActivationRefusal> {
    const identity = this.#living()
    const ready = identity ? this.#ready(identity, rotationId, version) : err({ reason: 'not_found' as const })
    if (!ready.ok) return ready
    return mayAnyoneActivate(ready.value)
      ? ok(this.#transaction.rotations.record(ready.value))
      : err({ reason: 'owner_mismatch' })
  }

  /** One compare-and-set over status, deadline, vetoes and co-signers; the new key's alias is already reserved. */
  activate(rotationId: string): Result<RotationRecord, ActivationRefusal> {
    const { rotations, identities, stored } = this.#transaction
    return stored.transact((): Result<RotationRecord, ActivationRefusal> => {
      const identity = this.#living()
      const rotation = identity && rotations.find(rotationId)
      if (!identity || rotation?.kind !== 'rotation') return err({ reason: 'not_found' })
      if (rotation.status === 'active') return ok(rotations.record(rotation))
      const now = Date.now()
      const checked = checkActivation(rotation, identity.current.epoch, now)
      if (!checked.ok) return checked
      const request = rotations.request(rotationId)
      if (!request) throw new Error('Rotation without its request')
      const { epoch, newPublicKeyB64u } = request.statement
      const publicKey = bytesOf(newPublicKeyB64u)
      identities.putKey({ epoch, userId: userIdOfKey(newPublicKeyB64u), publicKey, activatedAt: now })
      rotations.activate(rotationId, now)
      this.#transaction.updates.add({ kind: 'rotation', statementHash: rotationId }, now)
      return ok(this.#record(rotationId))
    })
  }

  /** The rules for a request, and those for opening it beside what is pending. */
  #checkRequest(
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
  #open(identity: IdentityRecord, signed: SignedRotationRequest, { times }: RotationGate, now: number): RotationRecord {
    const { version, epoch, newPublicKeyB64u } = signed.statement
    const rotationId = rotationIdOf(signed.statement)
    this.#displace(now)
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
    return this.#record(rotationId)
  }

  #displace(now: number): void {
    const pending = this.#transaction.rotations.pending()
    if (pending) this.#transaction.rotations.displace(pending.rotationId, now)
  }

  #ready(identity: IdentityRecord, rotationId: string, version: 1 | 2): Result<Rotation, ActivationRefusal> {
    const rotation = this.#transaction.rotations.find(rotationId)
    // A deactivation takes effect by itself.
    if (rotation?.version !== version || rotation.kind !== 'rotation') return err({ reason: 'not_found' })
    if (rotation.status === 'active') return ok(rotation)
    const checked = checkActivation(rotation, identity.current.epoch, Date.now())
    return checked.ok ? ok(rotation) : checked
  }

  #living(): IdentityRecord | null {
    const identity = this.#transaction.read()
    return identity?.deactivatedAt === null ? identity : null
  }

  #record(rotationId: string): RotationRecord {
    const rotation = this.#transaction.rotations.find(rotationId)
    if (!rotation) throw new Error('Rotation missing right after it was written')
    return this.#transaction.rotations.record(rotation)
  }

  /** The rotation that a signature is about. A signature that is already stored needs no second check. */
  #about(
    signed: SignedVeto | SignedCosign,
  ): Result<{ identity: IdentityRecord; rotation: Rotation } | { placed: RotationRecord }, SigningRefusal> {
    const { rotations } = this.#transaction
    const { scope, rotationId } = signed.statement
    const identity = this.#living()
    if (identity && identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    const rotation = identity && rotations.find(rotationId)
    if (!rotation) return err({ reason: 'not_found' })
    const record = rotations.record(rotation)
    const isPlaced = [...record.vetoes, ...record.cosigned].some((one) => one.signatureB64u === signed.signatureB64u)
    const { type, signedBy } = signed.statement
    const hasCosigned = type === 'svc/rotation-cosign/v1' && rotation.cosigners.includes(signedBy)
    return ok(isPlaced || hasCosigned ? { placed: record } : { identity, rotation })
  }

  /** The key of a device that may bring a request with its co-signature. */
  #carrierKey(
    { statement: { scope, signedBy } }: SignedCosign,
    times: Times,
  ): Result<{ readonly keyB64u: string }, SigningRefusal> {
    const identity = this.#living()
    if (!identity) return err({ reason: 'not_found' })
    if (identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    if (!this.#signers.mayCarry(identity, signedBy, times, Date.now())) return err({ reason: 'not_eligible' })
    return this.#keyOf(identity, signedBy)
  }

  #keyOf(identity: IdentityRecord, signedBy: string): Result<{ readonly keyB64u: string }, SigningRefusal> {
    const keyB64u = this.#signers.keyOf(identity, signedBy)
    return keyB64u === null ? err({ reason: 'not_eligible' }) : ok({ keyB64u })
  }

  #decideVeto(identity: IdentityRecord, rotation: Rotation, signedBy: string, times: Times, now: number) {
    return decideVeto(rotation, this.#signers.vetoer(identity, rotation, signedBy, times, now), now)
  }
}
