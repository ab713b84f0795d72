/**
 * Who may replace or end an identity's root key, and when. Pure; time is passed in.
 *
 * Owner and thief look alike: each may hold the root key, devices, or both. So the rules never ask who somebody is.
 * Two factors beat one, a device counts only after a whole window, and what stops a thief stops an owner too, which is
 * why every veto is bounded. `game.test.ts` plays these very functions and fails if one of them is left out.
 *
 * At most one request is pending. Every decision on it is made inside one transaction of the identity's object, so an
 * activation always sees every veto accepted before it.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import { MAX_ROTATION_REQUESTS, type RotationBasis, type RotationStatus } from '@svc/protocol/chain/rotation'
import { hasStanding, type Span, type StandingTimes } from './standing-rules.ts'

/** window < contest < standing. */
export interface Times extends StandingTimes {
  /** How long a contested request is public. */
  readonly contestMs: number
}

/** The bounds hold in this order only. */
export function areOrdered({ windowMs, contestMs, standingMs }: Times): boolean {
  return windowMs < contestMs && contestMs < standingMs
}

// --- Requests

/** What decides about a request; the collected signatures are stored separately. */
export interface Rotation {
  readonly rotationId: string
  readonly kind: 'rotation' | 'deactivation'
  readonly status: RotationStatus
  readonly basis: RotationBasis
  readonly version: 1 | 2
  /** The epoch after the one in which it was requested. */
  readonly epoch: number
  /** Null for a deactivation. */
  readonly newUserId: string | null
  readonly requestedAt: number
  /** Null for version 1, which waits for an operator instead of a deadline. */
  readonly deadline: number | null
  /** When the root key moved the deadline; null if it did not. */
  readonly contestedAt: number | null
  readonly requiredCosigners: number
  /** Devices that could co-sign when the request was accepted. */
  readonly eligible: readonly string[]
  /** Devices that had standing when the request was accepted: only they can stop it once it is co-signed. */
  readonly witnesses: readonly string[]
  readonly cosigners: readonly string[]
  readonly freezes: number
  readonly cancels: number
  readonly approvedAt: number | null
  readonly activatedAt: number | null
}

/** What the rules ask of a pending request. */
export type Pending = Pick<
  Rotation,
  | 'status'
  | 'basis'
  | 'version'
  | 'requestedAt'
  | 'deadline'
  | 'contestedAt'
  | 'requiredCosigners'
  | 'cosigners'
  | 'approvedAt'
>

/** What decides how much a request weighs. */
export type Weighed = Pick<Pending, 'basis' | 'version' | 'cosigners'>

/** 1: one factor, or nothing that takes effect by itself. 2: root key and device. 3: root key and successor. 4: all three. */
export type Strength = 1 | 2 | 3 | 4

export function strengthOf({ basis, version, cosigners }: Weighed): Strength {
  // Version 1 waits for the operator, by any signature.
  if (version === 1 || basis === 'successor') return 1
  if (basis === 'full') return cosigners.length > 0 ? 4 : 3
  return cosigners.length > 0 ? 2 : 1
}

const isCosigned = ({ cosigners }: Pick<Pending, 'cosigners'>) => cosigners.length > 0

/** R11: nothing overtakes a request that two factors, or the operator, have opened. */
export function isOvertakable(pending: Pick<Pending, 'cosigners' | 'approvedAt'> | null): boolean {
  return pending === null || (!isCosigned(pending) && pending.approvedAt === null)
}

/** Whether a request can be opened beside what is pending. R6: a co-signed one takes the place of one that is not. */
export function mayOpen(pending: Pick<Pending, 'cosigners' | 'approvedAt'> | null, withCosignature: boolean): boolean {
  return withCosignature ? isOvertakable(pending) : pending === null
}

/** Whether another request without a co-signature fits. `recent` counts those of the period. */
export function isFlooded(recent: number): boolean {
  return recent >= MAX_ROTATION_REQUESTS
}

/** R7: a request that ended without a co-signature may come again with one. */
export function mayReopen({ status, basis, version, cosigners }: Pending): boolean {
  return version === 2 && basis !== 'successor' && status !== 'pending' && status !== 'active' && cosigners.length === 0
}

// --- R2, R4, R5, R9: vetoes

export type VetoRefusal =
  | { readonly reason: 'not_found' | 'not_eligible' | 'rotation_cosigned' | 'rotation_full' | 'rotation_approved' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/** Who signed a veto: the root key, a key that the identity has committed to, or a device with what it is and was. */
export type Vetoer =
  | 'root'
  | 'successor'
  | {
      readonly isActive: boolean
      readonly hasStanding: boolean
      /** Had standing when the request was accepted. */
      readonly isWitness: boolean
    }

/** What a freeze or cancellation does: it ends the request, or moves its deadline. */
export function decideVeto(request: Pending, by: Vetoer, now: number): Result<'stop' | 'contest', VetoRefusal> {
  if (request.status !== 'pending') return err({ reason: 'rotation_not_pending', status: request.status })
  // R9: the operator has looked at the evidence.
  if (request.approvedAt !== null) return err({ reason: 'rotation_approved' })
  if (request.basis !== 'root') return decideSuccessionVeto(request, by, now)
  if (by === 'successor') return err({ reason: 'not_eligible' })
  if (!isCosigned(request)) {
    // R2: what one factor opened, any factor stops, as often as it wants.
    const may = by === 'root' || by.isActive || by.hasStanding || by.isWitness
    return may ? ok('stop') : err({ reason: 'not_eligible' })
  }
  // R4: what two factors opened, only a device stops that had standing before.
  if (by !== 'root') return by.isWitness ? ok('stop') : err({ reason: 'not_eligible' })
  // R5: the root key gains time, once.
  const isOpen = request.deadline !== null && now < request.deadline
  return isOpen && request.contestedAt === null ? ok('contest') : err({ reason: 'rotation_cosigned' })
}

/** R13, R15, R16, R19: what a freeze or cancellation does. */
export function decideSuccessionVeto(
  request: Pending,
  by: Vetoer,
  now: number,
): Result<'stop' | 'contest', VetoRefusal> {
  const strength = strengthOf(request)
  if (strength === 1) {
    // R16: what one factor opened, any factor ends, as often as it wants.
    const may = typeof by === 'string' || by.isActive || by.hasStanding || by.isWitness
    return may ? ok('stop') : err({ reason: 'not_eligible' })
  }
  // R19: a committed key ends what would do without one.
  if (strength === 2) return by === 'successor' ? ok('stop') : err({ reason: 'rotation_cosigned' })
  // R15: who holds a committed key gains time, once.
  const isOpen = request.deadline !== null && now < request.deadline
  return by === 'successor' && isOpen && request.contestedAt === null ? ok('contest') : err({ reason: 'rotation_full' })
}

/** R5, R15: the deadline of a contested request. */
export function contestedDeadline({ requestedAt }: Pick<Pending, 'requestedAt'>, { contestMs }: Times): number {
  return requestedAt + contestMs
}

// --- Co-signatures

export type CosignRefusal =
  | { readonly reason: 'not_found' | 'not_eligible' | 'rotation_v2_disabled' }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }

/** Only devices that could co-sign when the request was accepted. What they have lost since does not matter (R1). */
export function checkCosign(request: Rotation, deviceId: string): Result<void, CosignRefusal> {
  if (request.status !== 'pending') return err({ reason: 'rotation_not_pending', status: request.status })
  // An operator decides on version 1, and a successor alone waits for its factor: a co-signature would have no effect.
  return request.version === 2 && request.basis !== 'successor' && request.eligible.includes(deviceId)
    ? ok(undefined)
    : err({ reason: 'not_eligible' })
}

// --- Taking effect

export type ActivationRefusal =
  | {
      readonly reason:
        | 'not_found'
        | 'rotation_unapproved'
        | 'cosigner_required'
        | 'key_in_use'
        | 'rotation_v2_disabled'
        | 'owner_mismatch'
    }
  | { readonly reason: 'rotation_not_pending'; readonly status: RotationStatus }
  | { readonly reason: 'rotation_window_open'; readonly deadline: number }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }

/** R8, R13: anyone may activate what is co-signed, approved or signed by a successor; nobody can hold it up. */
export function mayAnyoneActivate(request: Pick<Pending, 'basis' | 'cosigners' | 'approvedAt'>): boolean {
  return request.basis !== 'root' || !isOvertakable(request)
}

/** Whether a request can take effect now: status, vetoes, deadline or approval, and co-signers, at once. */
export function checkDue(request: Pending, now: number): Result<void, ActivationRefusal> {
  if (request.status !== 'pending') return err({ reason: 'rotation_not_pending', status: request.status })
  if (request.version === 1) return request.approvedAt === null ? err({ reason: 'rotation_unapproved' }) : ok(undefined)
  if (request.deadline === null || now < request.deadline) {
    return err({ reason: 'rotation_window_open', deadline: request.deadline ?? now })
  }
  return request.cosigners.length < request.requiredCosigners ? err({ reason: 'cosigner_required' }) : ok(undefined)
}

export function checkActivation(
  rotation: Rotation,
  currentEpoch: number,
  now: number,
): Result<void, ActivationRefusal> {
  if (rotation.status !== 'pending') return err({ reason: 'rotation_not_pending', status: rotation.status })
  if (rotation.epoch !== currentEpoch + 1) return err({ reason: 'stale_epoch', epoch: currentEpoch })
  return checkDue(rotation, now)
}

// --- R9: the operator

/** Whether an operator may approve a request: version 1, unless it already took effect. */
export function mayApprove({ version, status }: Pick<Rotation, 'version' | 'status'>): boolean {
  return version === 1 && status !== 'active'
}

// --- R10: deactivation

/**
 * R10: a deactivation waits like a version-2 rotation while a device has standing; otherwise it takes effect at once.
 * Under a hold nothing ends, so it waits then, too. The game plays without holds.
 */
export function decideDeactivation(
  pending: Pick<Pending, 'cosigners' | 'approvedAt'> | null,
  devices: readonly (readonly Span[])[],
  now: number,
  times: Times,
  isHeld = false,
): 'at_once' | 'waits' | 'overtakes' {
  if (isHeld || devices.some((spans) => hasStanding(spans, now, times))) return 'waits'
  return isOvertakable(pending) ? 'at_once' : 'overtakes'
}
