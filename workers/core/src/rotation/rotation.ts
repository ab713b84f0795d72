/**
 * The law of rotation: what may be requested, vetoed, co-signed and activated, and when. Pure; time is passed in.
 *
 * One rotation is pending at a time. Whoever decides on it decides inside one transaction of the identity's object, so
 * a veto that was taken is always seen by the activation that comes after it.
 *
 * @module
 */
import { userIdOfKey } from '@svc/protocol/identity'
import { err, ok, type Result } from '@svc/protocol/result'
import { MAX_VETOES, type RotationStatus } from '@svc/protocol/rotation'
import type { IdentityRecord } from '../identity/identity.ts'

/** What decides about a rotation; the signatures that were collected are stored beside it. */
export interface Rotation {
  readonly rotationId: string
  readonly status: RotationStatus
  readonly version: 1 | 2
  readonly epoch: number
  readonly newUserId: string
  readonly requestedAt: number
  /** Null for version 1, which waits for an operator and not for a time. */
  readonly deadline: number | null
  readonly requiredCosigners: number
  /** Devices that could co-sign when the request was taken. */
  readonly eligible: readonly string[]
  /** Devices that were active when the request was taken: a thief who revokes them does not take their veto away. */
  readonly witnesses: readonly string[]
  readonly cosigners: readonly string[]
  readonly freezes: number
  readonly cancels: number
  readonly approvedAt: number | null
  readonly activatedAt: number | null
}

export interface RotationGate {
  readonly acceptsV2: boolean
  readonly windowMs: number
}

export type RequestRefusal =
  | { readonly reason: 'owner_mismatch' | 'rotation_v2_disabled' | 'key_superseded' | 'key_in_use' }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'rotation_pending'; readonly rotationId: string }

interface Requested {
  readonly did: string
  readonly scope: string
  readonly version: 1 | 2
  readonly epoch: number
  readonly newPublicKeyB64u: string
}

/** Whether a rotation may be opened. `signerUserId` is the key whose signature over the request was verified. */
export function checkRequest(
  identity: IdentityRecord,
  pending: Rotation | null,
  { did, scope, version, epoch, newPublicKeyB64u }: Requested,
  signerUserId: string,
  gate: RotationGate,
  isKnown: (userId: string) => boolean,
): Result<void, RequestRefusal> {
  if (did !== identity.did || scope !== identity.scope) return err({ reason: 'owner_mismatch' })
  if (version === 2 && !gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
  if (epoch !== identity.current.epoch + 1) return err({ reason: 'stale_epoch', epoch: identity.current.epoch })
  if (signerUserId !== identity.current.userId) return err({ reason: 'key_superseded' })
  // A key that was superseded never comes back, and the current one cannot follow itself.
  if (isKnown(userIdOfKey(newPublicKeyB64u))) return err({ reason: 'key_in_use' })
  if (pending) return err({ reason: 'rotation_pending', rotationId: pending.rotationId })
  return ok(undefined)
}

/** What decides whether a device may co-sign: how long it has been able to, or until when it was. */
export interface CosignerStanding {
  readonly deviceId: string
  /** Since when it is active with `rotation:cosign`; null when it never was. */
  readonly since: number | null
  /** When it lost that; null while it has it. */
  readonly until: number | null
}

/**
 * Who may co-sign a rotation that is requested now, and how many must. A device counts once it could co-sign for a whole
 * window, and the need for one ends only a window after the last device that could: whoever steals the root key can
 * neither bring a co-signer of their own nor be rid of the owner's without waiting as long as the window itself.
 */
export function cosignersOf(
  version: 1 | 2,
  standings: readonly CosignerStanding[],
  now: number,
  windowMs: number,
): { readonly eligible: string[]; readonly required: number } {
  const seasoned = standings.filter(({ since, until }) => since !== null && since <= (until ?? now) - windowMs)
  const eligible = seasoned.filter(({ until }) => until === null).map(({ deviceId }) => deviceId)
  const wasNeeded = seasoned.some(({ until }) => until === null || until > now - windowMs)
  return { eligible, required: version === 2 && wasNeeded ? 1 : 0 }
}

export type ActivationRefusal =
  | {
      readonly reason: 'not_found' | 'rotation_unapproved' | 'cosigner_required' | 'key_in_use' | 'rotation_v2_disabled'
    }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }
  | { readonly reason: 'rotation_window_open'; readonly deadline: number }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }

/**
 * Whether a pending rotation may become active now: status, vetoes, window or approval, and co-signers, all at once.
 * `isActive` says whether a device that has co-signed still may.
 */
export function checkActivation(
  rotation: Rotation,
  currentEpoch: number,
  isActive: (deviceId: string) => boolean,
  now: number,
): Result<void, ActivationRefusal> {
  if (rotation.status !== 'pending' || rotation.freezes + rotation.cancels > 0) {
    return err({ reason: 'rotation_not_pending', status: rotation.status })
  }
  if (rotation.epoch !== currentEpoch + 1) return err({ reason: 'stale_epoch', epoch: currentEpoch })
  if (rotation.version === 1)
    return rotation.approvedAt === null ? err({ reason: 'rotation_unapproved' }) : ok(undefined)
  if (rotation.deadline === null || now < rotation.deadline) {
    return err({ reason: 'rotation_window_open', deadline: rotation.deadline ?? now })
  }
  // A co-signer that was revoked since no longer counts.
  const counting = rotation.cosigners.filter(isActive).length
  if (counting < rotation.requiredCosigners) return err({ reason: 'cosigner_required' })
  return ok(undefined)
}

export type VetoRefusal =
  | { readonly reason: 'not_found' | 'not_eligible' | 'veto_limit' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/**
 * Whether a key may still freeze. `recent` counts its freezes of the last 30 days, on whatever rotation. Taking one's own
 * rotation back is no veto: the root key may always, or a thief could use the owner's up.
 */
export function checkVeto(rotation: Rotation, isCancel: boolean, recent: number): Result<void, VetoRefusal> {
  if (rotation.status !== 'pending') return err({ reason: 'rotation_not_pending', status: rotation.status })
  return !isCancel && recent >= MAX_VETOES ? err({ reason: 'veto_limit' }) : ok(undefined)
}

export type CosignRefusal =
  | { readonly reason: 'not_found' | 'not_eligible' | 'rotation_v2_disabled' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/** Only devices that could co-sign when the request was taken, and still may. */
export function checkCosign(rotation: Rotation, deviceId: string, isActive: boolean): Result<void, CosignRefusal> {
  if (rotation.status !== 'pending') return err({ reason: 'rotation_not_pending', status: rotation.status })
  // Version 1 is an operator's to decide: a co-signature would say nothing there.
  if (rotation.version !== 2 || !isActive || !rotation.eligible.includes(deviceId)) {
    return err({ reason: 'not_eligible' })
  }
  return ok(undefined)
}
