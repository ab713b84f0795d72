/**
 * Rotation inside an identity's object: each method is one transaction, so that a veto and an activation that arrive
 * together are decided one after the other.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { err, ok, type Result } from '@svc/protocol/result'
import {
  type CurrentRotation,
  MAX_PAGE_KEYS,
  type RootKeyEvidence,
  type RotationRecord,
  rotationIdOf,
  type SignedCosign,
  type SignedRotationRequest,
  type SignedVeto,
  VETO_PERIOD_MS,
} from '@svc/protocol/rotation'
import type { IdentityRecord } from '../identity/identity.ts'
import type { IdentitySession, Refused } from '../identity/identity-session.ts'
import {
  type ActivationRefusal,
  type CosignRefusal,
  checkActivation,
  checkCosign,
  checkRequest,
  checkVeto,
  type RequestRefusal,
  type Rotation,
  type RotationGate,
  requiredCosigners,
  type VetoRefusal,
} from './rotation.ts'
import type { Approval } from './rotation-store.ts'

export interface KeyPage {
  readonly identity: IdentityRecord
  readonly keys: readonly RootKeyEvidence[]
  readonly next: number | null
  readonly rotation: RotationRecord | null
}

export interface RotationPlan {
  readonly epoch: number
  readonly eligible: readonly string[]
  readonly requiredCosigners: number
}

export class RotationSession {
  readonly #session: IdentitySession

  constructor(session: IdentitySession) {
    this.#session = session
  }

  latest(): Rotation | null {
    return this.#session.read() ? this.#session.rotations.latest() : null
  }

  /** The same request again finds the rotation that it opened, whatever became of it. */
  request(
    signed: SignedRotationRequest,
    signerUserId: string,
    gate: RotationGate,
  ): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> {
    const { rotations, identities, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, RequestRefusal | { reason: 'not_found' }> => {
      const identity = this.#living()
      if (!identity) return err({ reason: 'not_found' })
      const rotationId = rotationIdOf(signed.statement)
      const existing = rotations.find(rotationId)
      if (existing) return ok(rotations.record(existing))
      const checked = checkRequest(identity, rotations.pending(), signed.statement, signerUserId, gate, (id) =>
        identities.hasKey(id),
      )
      if (!checked.ok) return checked
      const now = Date.now()
      const { version, epoch, newPublicKeyB64u } = signed.statement
      const eligible = this.#eligible(identity, now)
      rotations.open(
        {
          rotationId,
          status: 'pending',
          version,
          epoch,
          newUserId: userIdOfKey(newPublicKeyB64u),
          requestedAt: now,
          deadline: version === 2 ? now + gate.windowMs : null,
          requiredCosigners: requiredCosigners(version, eligible),
          eligible,
          cosigners: [],
          freezes: 0,
          cancels: 0,
          approvedAt: null,
          activatedAt: null,
        },
        signed,
      )
      return ok(this.#record(rotationId))
    })
  }

  /** What a request would open, by the rules of the request; nothing is written but the nonce of the assertion. */
  rehearse(
    assertion: VerifiedAssertion,
    statement: Parameters<typeof checkRequest>[2],
    gate: RotationGate,
  ): Result<RotationPlan, RequestRefusal | Refused> {
    return this.#session.authorized(assertion, (identity): Result<RotationPlan, RequestRefusal> => {
      const { rotations, identities } = this.#session
      const checked = checkRequest(identity, rotations.pending(), statement, assertion.userId, gate, (id) =>
        identities.hasKey(id),
      )
      if (!checked.ok) return checked
      const eligible = this.#eligible(identity, Date.now())
      return ok({ epoch: statement.epoch, eligible, requiredCosigners: requiredCosigners(statement.version, eligible) })
    })
  }

  current(assertion: VerifiedAssertion): Result<CurrentRotation, Refused> {
    return this.#session.authorized(assertion, (identity) => {
      const { rotations } = this.#session
      const active = rotations.activated(identity.current.epoch)
      const latest = rotations.latest()
      return ok({ active: active && rotations.record(active), latest: latest && rotations.record(latest) })
    })
  }

  /** The newest rotation, for the Worker that polls on its owner's behalf. */
  newest(): RotationRecord | null {
    const latest = this.latest()
    return latest && this.#session.rotations.record(latest)
  }

  /** The key of somebody who may sign for or against a rotation: the root, or a device that is active now. */
  signerKey(
    scope: string,
    signedBy: string,
  ): Result<Uint8Array, { reason: 'not_found' | 'owner_mismatch' | 'not_eligible' }> {
    const identity = this.#living()
    if (!identity) return err({ reason: 'not_found' })
    if (identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    if (signedBy === 'root') return ok(identity.current.publicKey)
    const device = this.#session.isActive(signedBy, Date.now()) ? this.#session.inception.device(signedBy) : null
    return device ? ok(bytesOf(device.publicKeyB64u)) : err({ reason: 'not_eligible' })
  }

  /** `signerKeyB64u` is the key whose signature was verified; it must still be that signer's here. */
  veto(signed: SignedVeto, signerKeyB64u: string): Result<RotationRecord, VetoRefusal> {
    const { rotations, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, VetoRefusal> => {
      const { rotationId, signedBy, scope } = signed.statement
      const rotation = this.#living() && rotations.find(rotationId)
      if (!rotation) return err({ reason: 'not_found' })
      const record = rotations.record(rotation)
      if (record.vetoes.some(({ signatureB64u }) => signatureB64u === signed.signatureB64u)) return ok(record)
      const signer = this.signerKey(scope, signedBy)
      if (!signer.ok || encodeBase64url(signer.value) !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const now = Date.now()
      const key = signedBy === 'root' ? userIdOfKey(signerKeyB64u) : signedBy
      const checked = checkVeto(rotation, rotations.vetoesSince(key, now - VETO_PERIOD_MS))
      if (!checked.ok) return checked
      rotations.veto(signed, key, now)
      return ok(this.#record(rotationId))
    })
  }

  /** A device co-signs a rotation once; again is the same co-signature. */
  cosign(signed: SignedCosign, signerKeyB64u: string): Result<RotationRecord, CosignRefusal> {
    const { rotations, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, CosignRefusal> => {
      const { rotationId, signedBy, scope } = signed.statement
      const identity = this.#living()
      const rotation = identity && rotations.find(rotationId)
      if (!rotation) return err({ reason: 'not_found' })
      if (rotation.cosigners.includes(signedBy)) return ok(rotations.record(rotation))
      const signer = this.signerKey(scope, signedBy)
      if (!signer.ok || encodeBase64url(signer.value) !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const now = Date.now()
      const checked = checkCosign(rotation, signedBy, this.#eligible(identity, now).includes(signedBy))
      if (!checked.ok) return checked
      rotations.cosign(signed, now)
      return ok(this.#record(rotationId))
    })
  }

  /** An operator's approval of a version-1 rotation; again is the same approval. */
  approve(rotationId: string, approval: Omit<Approval, 'approvedAt'>): boolean {
    const { rotations, storage } = this.#session
    return storage.transactionSync(() => {
      const rotation = this.#living() && rotations.find(rotationId)
      if (rotation?.version !== 1 || rotation.status !== 'pending') return false
      if (rotation.approvedAt === null) rotations.approve(rotationId, { ...approval, approvedAt: Date.now() })
      return true
    })
  }

  /** Spends the assertion and says whether the rotation could become active now; nothing is reserved. */
  prepareActivation(
    assertion: VerifiedAssertion,
    rotationId: string,
    version: 1 | 2,
  ): Result<RotationRecord, ActivationRefusal | Refused> {
    return this.#session.authorized(assertion, (identity): Result<RotationRecord, ActivationRefusal> => {
      const rotation = this.#session.rotations.find(rotationId)
      if (rotation?.version !== version) return err({ reason: 'not_found' })
      if (rotation.status === 'active') return ok(this.#session.rotations.record(rotation))
      const checked = this.#checkActivation(identity, rotation)
      return checked.ok ? ok(this.#session.rotations.record(rotation)) : checked
    })
  }

  /** One compare-and-set over status, window, vetoes and co-signers; the new key's alias is reserved by now. */
  activate(rotationId: string): Result<RotationRecord, ActivationRefusal> {
    const { rotations, identities, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, ActivationRefusal> => {
      const identity = this.#living()
      const rotation = identity && rotations.find(rotationId)
      if (!rotation) return err({ reason: 'not_found' })
      if (rotation.status === 'active') return ok(rotations.record(rotation))
      const checked = this.#checkActivation(identity, rotation)
      if (!checked.ok) return checked
      const now = Date.now()
      const { epoch, newUserId: userId } = rotation
      const { newPublicKeyB64u } = rotations.record(rotation).request.statement
      identities.putKey({ epoch, userId, publicKey: bytesOf(newPublicKeyB64u), activatedAt: now })
      rotations.activate(rotationId, now)
      return ok(this.#record(rotationId))
    })
  }

  /** Root keys from an epoch on, each with the request that brought it. */
  keyHistory(from: number): KeyPage | null {
    const identity = this.#session.read()
    if (!identity) return null
    const { identities, rotations } = this.#session
    const keys = identities.keys(from, MAX_PAGE_KEYS)
    const latest = rotations.latest()
    return {
      identity,
      keys: keys.slice(0, MAX_PAGE_KEYS).map(({ epoch, userId, publicKey, activatedAt }) => {
        const brought = rotations.activated(epoch)
        const request = brought && rotations.record(brought).request
        return { epoch, userId, publicKeyB64u: encodeBase64url(publicKey), activatedAt, request }
      }),
      next: keys[MAX_PAGE_KEYS]?.epoch ?? null,
      rotation: latest && rotations.record(latest),
    }
  }

  #checkActivation(identity: IdentityRecord, rotation: Rotation): Result<void, ActivationRefusal> {
    const now = Date.now()
    const eligible = this.#eligible(identity, now)
    return checkActivation(rotation, identity.current.epoch, (id) => eligible.includes(id), now)
  }

  #living(): IdentityRecord | null {
    const identity = this.#session.read()
    return identity?.deactivatedAt === null ? identity : null
  }

  #record(rotationId: string): RotationRecord {
    const { rotations } = this.#session
    const rotation = rotations.find(rotationId)
    if (!rotation) throw new Error('a rotation that was just written is not there')
    return rotations.record(rotation)
  }

  /** Devices that may co-sign now. */
  #eligible(identity: IdentityRecord, now: number): string[] {
    return this.#session.inception
      .devices(identity.current.epoch)
      .filter(
        ({ deviceId, capabilities }) =>
          capabilities.includes('rotation:cosign') && this.#session.isActive(deviceId, now),
      )
      .map(({ deviceId }) => deviceId)
  }
}
