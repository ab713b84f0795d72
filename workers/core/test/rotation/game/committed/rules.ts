/**
 * Rules for identities that commit to their successors (R12 to R19) and for the devices of all (R3'). Pure; times are
 * spans, in any unit.
 *
 * Root key and device are nearly one factor, since the root key attests devices and both are stolen together. So a
 * committed key is necessary, and alone it never beats them: its words lie on paper.
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Pending, Times } from '../../../../src/rotation/rules.ts'

/** What a request rests on: root key and committed key, a committed key alone, or root key and device for another key. */
export type RotationBasis = 'root' | 'full' | 'successor' | 'replacement'

/** What decides how much a request weighs. */
export interface Weighed {
  readonly basis: RotationBasis
  readonly cosigners: readonly string[]
}

/** 1: one factor. 2: root key and device. 3: root key and successor. 4: all three. */
export type Strength = 1 | 2 | 3 | 4

/** The strengths that a dispute has closed in this epoch: those up to this one, from 3 on. */
export type Disputed = 0 | 3 | 4

/** Who signed a request. */
export interface Factors {
  readonly root: boolean
  readonly successor: boolean
  /** A device with standing that may co-sign. */
  readonly device: boolean
}

/** R12, R13, R16, R19: what the signatures on a request come to; null: it is refused. */
export function basisOf({ root, successor, device }: Factors, isReplaceable: boolean): RotationBasis | null {
  if (successor) return root ? 'full' : 'successor'
  return root && device && isReplaceable ? 'replacement' : null
}

export function strengthOf({ basis, cosigners }: Weighed): Strength {
  if (basis === 'successor') return 1
  if (basis === 'full') return cosigners.length > 0 ? 4 : 3
  return cosigners.length > 0 ? 2 : 1
}

/** R13, R16, R19: when a request can take effect. */
export function deadlineOf(basis: RotationBasis, now: number, { windowMs, standingMs }: Times): number {
  return now + (basis === 'root' || basis === 'full' ? windowMs : standingMs)
}

/** R14: what a request does beside what another player has pending. */
export function decideOpening(
  pending: (Weighed & Pick<Pending, 'approvedAt'>) | null,
  wanted: Weighed,
  disputed: Disputed,
): Result<'opens' | 'displaces' | 'disputes', 'rotation_disputed' | 'rotation_pending'> {
  const mine = strengthOf(wanted)
  if (mine >= 3 && mine <= disputed) return err('rotation_disputed')
  if (!pending) return ok('opens')
  if (pending.approvedAt !== null) return err('rotation_pending')
  const theirs = strengthOf(pending)
  if (mine > theirs) return ok('displaces')
  if (mine < theirs || mine === 1) return err('rotation_pending')
  return ok(mine === 2 ? 'displaces' : 'disputes')
}

/** Who signed a veto: a committed key, the root key, or a device that is active or has, or had, standing. */
export type Vetoer = 'successor' | 'root' | { readonly counts: boolean }

/** R13, R15, R16, R19: what a freeze does to a pending request. */
export function decideVeto(
  pending: Weighed & Pick<Pending, 'approvedAt' | 'contestedAt' | 'deadline'>,
  by: Vetoer,
  now: number,
): Result<'stop' | 'contest', 'rotation_approved' | 'rotation_full' | 'rotation_cosigned' | 'not_eligible'> {
  if (pending.approvedAt !== null) return err('rotation_approved')
  const strength = strengthOf(pending)
  if (strength === 1) return typeof by === 'string' || by.counts ? ok('stop') : err('not_eligible')
  if (strength === 2) return by === 'successor' ? ok('stop') : err('rotation_cosigned')
  const isOpen = pending.deadline !== null && now < pending.deadline
  return by === 'successor' && isOpen && pending.contestedAt === null ? ok('contest') : err('rotation_full')
}

/** R3': how long a new device waits for its standing. `isAgreed`: by a device that has it. */
export function standingAfter(
  { isAgreed, othersStand }: { readonly isAgreed: boolean; readonly othersStand: boolean },
  { windowMs, standingMs }: Times,
): number {
  return othersStand && !isAgreed ? standingMs : windowMs
}
