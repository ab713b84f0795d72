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
import type { Pending, Times, Vetoer, VetoRefusal } from './rules.ts'

/** What decides how much a request weighs. */
export type Weighed = Pick<Pending, 'basis' | 'version' | 'cosigners'>

/** 1: one factor, or nothing that takes effect by itself. 2: root key and device. 3: root key and successor. 4: all three. */
export type Strength = 1 | 2 | 3 | 4

/** The strengths that a dispute has closed in this epoch: those up to this one, from 3 on. */
export type Disputed = 0 | 3 | 4

export function strengthOf({ basis, version, cosigners }: Weighed): Strength {
  // Version 1 waits for the operator, by any signature.
  if (version === 1 || basis === 'successor') return 1
  if (basis === 'full') return cosigners.length > 0 ? 4 : 3
  return cosigners.length > 0 ? 2 : 1
}

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
