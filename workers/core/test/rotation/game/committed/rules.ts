/**
 * Rules for identities that commit to their successors (R12 to R19) and for the devices of all (R3'). Pure; times are
 * spans, in any unit.
 *
 * Root key and device are nearly one factor, since the root key attests devices and both are stolen together. So a
 * committed key is necessary, and alone it never beats them: its words lie on paper.
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Times } from '../../../../src/rotation/rules.ts'

/** What a request rests on: root key and committed key, a committed key alone, or root key and device for another key. */
export type Basis = 'full' | 'successor' | 'replacement'

/** Who signed a request. */
export interface Factors {
  readonly root: boolean
  readonly successor: boolean
  /** A device with standing that may co-sign. */
  readonly device: boolean
}

/** What decides about a pending request. */
export interface Rival {
  readonly basis: Basis
  readonly isCosigned: boolean
  readonly isApproved: boolean
}

/** R12: no other factors rotate. R19: root key and device may, where the commitment is replaceable. */
export function basisOf({ root, successor, device }: Factors, isReplaceable: boolean): Basis | null {
  if (successor) return root ? 'full' : 'successor'
  return root && device && isReplaceable ? 'replacement' : null
}

/** R13, R16, R19: how long a request waits. */
export function waitOf(basis: Basis, { windowMs, standingMs }: Times): number {
  return basis === 'full' ? windowMs : standingMs
}

/** R14: how many factors are behind a full request; 0 for the others, which every full request takes the place of. */
export function strengthOf({ basis, isCosigned }: Pick<Rival, 'basis' | 'isCosigned'>): 0 | 2 | 3 {
  if (basis !== 'full') return 0
  return isCosigned ? 3 : 2
}

/** A request as it arrives. */
export interface Arrival extends Pick<Rival, 'basis' | 'isCosigned'> {
  /** Whether the device that co-signed it had standing when the pending request was taken. */
  readonly isWitness: boolean
}

/**
 * R14: what a new request comes to. `disputed` is the strength of the full requests that ended each other in this epoch,
 * 0 if none did.
 */
export function decideOpening(
  pending: Rival | null,
  request: Arrival,
  disputed: number,
): 'opens' | 'disputes' | 'refused' {
  const mine = strengthOf(request)
  if (mine > 0 && mine <= disputed) return 'refused'
  if (pending === null) return 'opens'
  if (pending.isApproved) return 'refused'
  const theirs = strengthOf(pending)
  if (mine > theirs) return 'opens'
  return mine > 0 && mine === theirs && (mine === 2 || request.isWitness) ? 'disputes' : 'refused'
}

/** Who signed a veto: a committed key, the root key, or a device that is active or has, or had, standing. */
export type Vetoer = 'successor' | 'root' | { readonly counts: boolean }

/** R13, R15, R16, R19: what a freeze does to a pending request. */
export function decideVeto(
  { basis, isApproved }: Rival,
  by: Vetoer,
  { isContested, isDue }: { readonly isContested: boolean; readonly isDue: boolean },
): Result<'stop' | 'contest', 'rotation_approved' | 'rotation_full' | 'not_eligible'> {
  if (isApproved) return err('rotation_approved')
  switch (basis) {
    case 'full':
      return by === 'successor' && !isContested && !isDue ? ok('contest') : err('rotation_full')
    case 'successor':
      return by === 'successor' || by === 'root' || by.counts ? ok('stop') : err('not_eligible')
    case 'replacement':
      return by === 'successor' ? ok('stop') : err('not_eligible')
  }
}

/** R9: what the operator needs for an approval. */
export function mayApprove({ successor }: Factors): boolean {
  return successor
}

/** R17: an identity ends by what makes a full request. */
export function mayDeactivate(factors: Factors): boolean {
  return basisOf(factors, false) === 'full'
}

/** R3': how long a new device waits for its standing. `isAgreed`: by a device that has it. */
export function standingAfter(
  { isAgreed, othersStand }: { readonly isAgreed: boolean; readonly othersStand: boolean },
  { windowMs, standingMs }: Times,
): number {
  return othersStand && !isAgreed ? standingMs : windowMs
}
