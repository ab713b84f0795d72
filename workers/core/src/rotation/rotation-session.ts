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
  type RotationStatus,
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
  cosignersOf,
  type RequestRefusal,
  type Rotation,
  type RotationGate,
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

/** The key to check a signature with, or the rotation in which that signature stands already. */
export type Signing = { readonly keyB64u: string } | { readonly placed: RotationRecord }
export type SigningRefusal =
  | { readonly reason: 'not_found' | 'owner_mismatch' | 'not_eligible' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

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
      const { eligible, required } = this.#cosigners(identity, version, now, gate.windowMs)
      rotations.open(
        {
          rotationId,
          status: 'pending',
          version,
          epoch,
          newUserId: userIdOfKey(newPublicKeyB64u),
          requestedAt: now,
          deadline: version === 2 ? now + gate.windowMs : null,
          requiredCosigners: required,
          eligible,
          witnesses: this.#witnesses(identity, now),
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
      const { version, epoch } = statement
      const { eligible, required } = this.#cosigners(identity, version, Date.now(), gate.windowMs)
      return ok({ epoch, eligible, requiredCosigners: required })
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

  /** One rotation, the newest unless told, for the Worker that asks on its owner's behalf. */
  find(rotationId: string | null): RotationRecord | null {
    if (rotationId === null || !this.#session.read()) {
      const latest = this.latest()
      return latest && this.#session.rotations.record(latest)
    }
    const found = this.#session.rotations.find(rotationId)
    return found && this.#session.rotations.record(found)
  }

  /**
   * What a signature for or against a rotation is to be checked with: the key of the root, of a device that is active
   * now, or of one that was when the rotation was requested. A signature that is in place already needs no check again.
   */
  prepareSignature(signed: SignedVeto | SignedCosign): Result<Signing, SigningRefusal> {
    const { rotations } = this.#session
    const { scope, rotationId, signedBy } = signed.statement
    const identity = this.#living()
    if (identity && identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    const rotation = identity && rotations.find(rotationId)
    if (!rotation) return err({ reason: 'not_found' })
    const record = rotations.record(rotation)
    const isPlaced = [...record.vetoes, ...record.cosigned].some((one) => one.signatureB64u === signed.signatureB64u)
    if (isPlaced) return ok({ placed: record })
    // Before the signer: an activation that came first has ended the signer's standing too, and that is why it fails.
    if (rotation.status !== 'pending') return err({ reason: 'rotation_not_pending', status: rotation.status })
    const key = this.#signerKey(identity, rotation, signedBy)
    return key ? ok({ keyB64u: encodeBase64url(key) }) : err({ reason: 'not_eligible' })
  }

  /** `signerKeyB64u` is the key whose signature was verified; it must still be that signer's here. */
  veto(signed: SignedVeto, signerKeyB64u: string): Result<RotationRecord, SigningRefusal | VetoRefusal> {
    const { rotations, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, SigningRefusal | VetoRefusal> => {
      const prepared = this.prepareSignature(signed)
      if (!prepared.ok) return prepared
      if ('placed' in prepared.value) return ok(prepared.value.placed)
      if (prepared.value.keyB64u !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const { rotationId, signedBy, type } = signed.statement
      const now = Date.now()
      const key = signedBy === 'root' ? userIdOfKey(signerKeyB64u) : signedBy
      const rotation = this.#find(rotationId)
      const recent = rotations.freezesSince(key, now - VETO_PERIOD_MS)
      const checked = checkVeto(rotation, type === 'svc/rotation-cancel/v1', recent)
      if (!checked.ok) return checked
      rotations.veto(signed, key, now)
      return ok(this.#record(rotationId))
    })
  }

  /** A device co-signs a rotation once; again is the same co-signature. */
  cosign(signed: SignedCosign, signerKeyB64u: string): Result<RotationRecord, SigningRefusal | CosignRefusal> {
    const { rotations, storage } = this.#session
    return storage.transactionSync((): Result<RotationRecord, SigningRefusal | CosignRefusal> => {
      const { rotationId, signedBy } = signed.statement
      const existing = this.#living() && rotations.find(rotationId)
      if (existing?.cosigners.includes(signedBy)) return ok(rotations.record(existing))
      const prepared = this.prepareSignature(signed)
      if (!prepared.ok) return prepared
      if ('placed' in prepared.value) return ok(prepared.value.placed)
      if (prepared.value.keyB64u !== signerKeyB64u) return err({ reason: 'not_eligible' })
      const now = Date.now()
      const checked = checkCosign(this.#find(rotationId), signedBy, this.#mayCosign(signedBy, now))
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
      const request = rotations.request(rotationId)
      if (!request) throw new Error('a rotation without its request')
      const publicKey = bytesOf(request.statement.newPublicKeyB64u)
      identities.putKey({ epoch, userId, publicKey, activatedAt: now })
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
        const request = brought && rotations.request(brought.rotationId)
        return { epoch, userId, publicKeyB64u: encodeBase64url(publicKey), activatedAt, request }
      }),
      next: keys[MAX_PAGE_KEYS]?.epoch ?? null,
      rotation: latest && rotations.record(latest),
    }
  }

  #checkActivation(identity: IdentityRecord, rotation: Rotation): Result<void, ActivationRefusal> {
    const now = Date.now()
    return checkActivation(rotation, identity.current.epoch, (id) => this.#mayCosign(id, now), now)
  }

  #living(): IdentityRecord | null {
    const identity = this.#session.read()
    return identity?.deactivatedAt === null ? identity : null
  }

  #find(rotationId: string): Rotation {
    const rotation = this.#session.rotations.find(rotationId)
    if (!rotation) throw new Error('a rotation that was just there is not')
    return rotation
  }

  #record(rotationId: string): RotationRecord {
    return this.#session.rotations.record(this.#find(rotationId))
  }

  #signerKey(identity: IdentityRecord, rotation: Rotation, signedBy: string): Uint8Array | null {
    if (signedBy === 'root') return identity.current.publicKey
    const isSigner = this.#session.isActive(signedBy, Date.now()) || rotation.witnesses.includes(signedBy)
    const device = isSigner ? this.#session.inception.device(signedBy) : null
    return device && bytesOf(device.publicKeyB64u)
  }

  #mayCosign(deviceId: string, now: number): boolean {
    const device = this.#session.isActive(deviceId, now) ? this.#session.inception.device(deviceId) : null
    return device?.capabilities.includes('rotation:cosign') ?? false
  }

  #cosigners(identity: IdentityRecord, version: 1 | 2, now: number, windowMs: number) {
    const spans = this.#session.inception.cosigners(identity.current.epoch, now - windowMs)
    const standings = spans.map((span) => ({ ...span, until: span.until ?? this.#expiredAt(span.deviceId, now) }))
    const { eligible, required } = cosignersOf(version, standings, now, windowMs)
    return { eligible: eligible.filter((id) => this.#mayCosign(id, now)), required }
  }

  /** A device that has expired could co-sign until then, and nothing was written at that time. */
  #expiredAt(deviceId: string, now: number): number | null {
    const expiresAt = this.#session.inception.device(deviceId)?.expiresAt ?? null
    return expiresAt !== null && expiresAt <= now ? expiresAt : null
  }

  #witnesses(identity: IdentityRecord, now: number): string[] {
    return this.#session.inception
      .devices(identity.current.epoch)
      .filter(({ deviceId }) => this.#session.isActive(deviceId, now))
      .map(({ deviceId }) => deviceId)
  }
}
