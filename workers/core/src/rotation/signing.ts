import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RotationRecord, RotationStatus, SignedCosign, SignedVeto } from '@svc/protocol/chain/rotation'
import { countedAt } from '@svc/protocol/keys/replacement'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import { RotationOpening } from './opening.ts'
import type { CarriedRequest, RequestRefusal, RotationGate } from './request-rules.ts'
import {
  type CosignRefusal,
  checkCosign,
  contestedDeadline,
  decideVeto,
  mayReopen,
  type Rotation,
  type Times,
  type VetoRefusal,
} from './rules.ts'
import { RotationSigners } from './signers.ts'

/** The key to verify a signature with, or the rotation that already holds that signature. */
export type Signing = { readonly keyB64u: string } | { readonly placed: RotationRecord }
export type SigningRefusal =
  | { readonly reason: 'not_found' | 'owner_mismatch' | 'not_eligible' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/** Signatures for and against a rotation, inside an identity's object: co-signatures and vetoes. */
export class SigningTransaction {
  readonly #transaction: IdentityTransaction
  readonly #signers: RotationSigners
  readonly #opening: RotationOpening

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#signers = new RotationSigners(transaction)
    this.#opening = new RotationOpening(transaction)
  }

  /** The key to verify a veto with, if the rules let its signer place it now. */
  prepareVeto(signed: SignedVeto, times: Times): Result<Signing, SigningRefusal | VetoRefusal> {
    const found = this.#about(signed)
    if (!found.ok) return found
    if ('placed' in found.value) return ok(found.value)
    const { identity, rotation } = found.value
    const decided = this.#decideVeto(identity, rotation, signed.statement.signedBy, times, Date.now())
    return decided.ok ? this.#keyOf(identity, signed) : decided
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
      const key = this.#keyOf(identity, signed)
      if (!key.ok) return key
      if (key.value.keyB64u !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const isRootKey = signedBy === 'root' || signedBy === 'successor'
      const signer = isRootKey ? userIdOfKey(signerKeyB64u) : signedBy
      if (decided.value === 'stop') rotations.stop(signed, signer, now)
      else rotations.contest(signed, signer, contestedDeadline(rotation, times), now)
      return ok(rotations.recordOf(rotationId))
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
    return checked.ok ? this.#keyOf(identity, signed) : checked
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
      const identity = this.#transaction.living()
      const { rotationId } = signed.statement
      const now = Date.now()
      if (identity && carried && rotations.find(rotationId)?.status !== 'pending') {
        // An operator decides on version 1. Co-signed, it would stay pending with nobody able to stop it.
        if (carried.request.statement.version !== 2) return err({ reason: 'not_eligible' })
        const signers = { signerUserId: carried.requestedBy, cosigners: [signed.statement.signedBy] }
        const checked = this.#opening.check(identity, carried.request.statement, signers, gate)
        if (!checked.ok) return checked
        // A successor alone waits for its factor, with or without a device.
        if (checked.value.basis === 'successor') return err({ reason: 'not_eligible' })
        // Readers judge by the clock of the root key. A replacement that they would refuse must not be opened.
        if (checked.value.basis === 'replacement' && !this.#isProvable(identity, signed, now))
          return err({ reason: 'not_eligible' })
        this.#opening.open(identity, carried.request, checked.value, gate, now)
      }
      rotations.cosign(signed, now)
      return ok(rotations.recordOf(rotationId))
    })
  }

  /** The rotation that a signature is about. A signature that is already stored needs no second check. */
  #about(
    signed: SignedVeto | SignedCosign,
  ): Result<{ identity: IdentityRecord; rotation: Rotation } | { placed: RotationRecord }, SigningRefusal> {
    const { rotations } = this.#transaction
    const { scope, rotationId } = signed.statement
    const identity = this.#transaction.living()
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
  #carrierKey(signed: SignedCosign, times: Times): Result<{ readonly keyB64u: string }, SigningRefusal> {
    const { scope, signedBy } = signed.statement
    const identity = this.#transaction.living()
    if (!identity) return err({ reason: 'not_found' })
    if (identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    if (!this.#signers.mayCarry(identity, signedBy, times, Date.now())) return err({ reason: 'not_eligible' })
    return this.#keyOf(identity, signed)
  }

  #isProvable({ current }: IdentityRecord, { statement }: SignedCosign, now: number): boolean {
    return countedAt(this.#transaction.inception.ofDevice(statement.signedBy, current.epoch, now), now)
  }

  #keyOf(
    identity: IdentityRecord,
    signed: SignedVeto | SignedCosign,
  ): Result<{ readonly keyB64u: string }, SigningRefusal> {
    const keyB64u = this.#signers.keyOf(identity, signed)
    return keyB64u === null ? err({ reason: 'not_eligible' }) : ok({ keyB64u })
  }

  #decideVeto(identity: IdentityRecord, rotation: Rotation, signedBy: string, times: Times, now: number) {
    return decideVeto(rotation, this.#signers.vetoer(identity, rotation, signedBy, times, now), now)
  }
}
