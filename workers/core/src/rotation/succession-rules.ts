/**
 * Who may replace or end the root key of an identity that has committed to its next keys: R12 to R17 and R19, in the
 * place of R2, R4 to R7 and R10. Pure; time is passed in.
 *
 * A thief of the root key may have devices too, and one of a successor has found words on paper. So a successor is
 * necessary and alone not sufficient.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RotationBasis } from '@svc/protocol/chain/rotation'
import { type Pending, type Rotation, strengthOf, type Times, type Weighed } from './rules.ts'

/** The strengths that a dispute has closed in this epoch: those up to this one, from 3 on. */
export type Disputed = 0 | 3 | 4

/** R13, R16, R19: when a request can take effect; null for version 1. */
export function deadlineOf(basis: RotationBasis, version: 1 | 2, now: number, times: Times): number | null {
  if (version === 1) return null
  return now + (basis === 'root' || basis === 'full' ? times.windowMs : times.standingMs)
}

export type OpeningDecision = 'opens' | 'displaces' | 'disputes'
export type OpeningRefusal = { readonly reason: 'rotation_pending' | 'rotation_disputed' }

/**
 * R14: what a request does beside what is pending. `isRival`: for another key, other successors, or another end than what
 * is pending.
 */
export function decideOpening(
  pending: (Weighed & Pick<Pending, 'approvedAt'>) | null,
  wanted: Weighed,
  disputed: Disputed,
  isRival: boolean,
): Result<OpeningDecision, OpeningRefusal> {
  const mine = strengthOf(wanted)
  if (mine >= 3 && mine <= disputed) return err({ reason: 'rotation_disputed' })
  if (!pending) return ok('opens')
  if (pending.approvedAt !== null) return err({ reason: 'rotation_pending' })
  const theirs = strengthOf(pending)
  if (mine > theirs) return ok('displaces')
  if (mine < theirs || !isRival || mine === 1) return err({ reason: 'rotation_pending' })
  // Root key and device against root key and device: each takes the other’s place, as often as they look.
  return ok(mine === 2 ? 'displaces' : 'disputes')
}

/** R14: against three factors, a device counts only if it did when the pending request was taken. */
export function mayDispute(pending: Weighed & Pick<Rotation, 'eligible'>, cosigners: readonly string[]): boolean {
  return strengthOf(pending) < 4 || cosigners.some((deviceId) => pending.eligible.includes(deviceId))
}
