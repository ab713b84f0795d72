/**
 * The stages of a recovery of an identity that has committed to its next keys (rules R12 to R19 of
 * workers/docs/pages/developer/successors.md). Pure.
 *
 * @module
 */
import { type Commitment, isCommitted } from '#protocol/chain/commitment'
import type { RotationBasis, RotationSummary } from '#protocol/chain/rotation'
import { type KeptRecovery, requestOf } from './kept-recovery.ts'
import { opening, type Step } from './steps.ts'

type Basis = Exclude<RotationBasis, 'root'>

/** Rule R14: a request takes the place of a weaker one. A co-signature makes `full` stronger than a rival without one. */
const STRENGTHS: Readonly<Record<Basis, 1 | 2 | 3>> = { successor: 1, replacement: 2, full: 3 }

/** What the kept version-2 request rests on; null if only version 1 is kept, for the operator. */
function basisOf(kept: KeptRecovery, commitment: Commitment): Basis | null {
  const request = requestOf(kept, 2)
  if (!request) return null
  if (request.signatureB64u === null) return 'successor'
  return isCommitted(commitment, request.statement.newPublicKeyB64u) ? 'full' : 'replacement'
}

function strengthOf({ version, basis, cosignatures }: RotationSummary): 1 | 2 | 3 | 4 {
  if (version === 1 || basis === 'root') return 1
  return basis === 'full' && cosignatures > 0 ? 4 : STRENGTHS[basis]
}

/** Returns the stage beside the newest rotation. `isOurs` tells whether that rotation leads to the key of this recovery. */
export function committedStage(
  kept: KeptRecovery,
  commitment: Commitment,
  rotation: RotationSummary,
  { isOurs, now }: { readonly isOurs: boolean; readonly now: number },
): Step {
  const basis = basisOf(kept, commitment)
  const mine = basis === null ? 0 : STRENGTHS[basis]
  if (!isOurs) return beside(kept, mine, rotation)
  if (rotation.status !== 'pending') return ended(kept, mine, rotation)
  const { version, contestedAt, deadline, approvedAt } = rotation
  if (version === 1 && approvedAt !== null) return ['due', 'finish']
  if (deadline !== null && now >= deadline) return ['due', 'finish']
  if (mine > strengthOf(rotation)) return ['opened', 'start']
  if (version === 1) return ['opened', 'operator']
  // Rules R16 and R19: without both the root key and a committed key, a key of the identity can end the rotation.
  if (rotation.basis !== 'full') return ['opened', 'finish', deadline]
  return [contestedAt === null ? 'waiting' : 'contested', 'finish', deadline]
}

/** The same request does not open again, except that a co-signature settles a dispute. */
function ended(kept: KeptRecovery, mine: number, { version, basis }: RotationSummary): Step {
  if (version === 1 ? mine > 1 : basis === 'full') return ['stopped', 'start']
  const isForOperator = basis !== 'replacement' && requestOf(kept, 1) !== null
  return ['stopped', isForOperator ? 'operator' : 'none']
}

/** Returns the stage if the newest rotation is not this recovery. */
function beside(kept: KeptRecovery, mine: number, rotation: RotationSummary): Step {
  const { status, approvedAt, contestedAt, deadline } = rotation
  // Rule R14: after a dispute, what rests on root key and words needs a device as well.
  if (status === 'disputed' && mine === STRENGTHS.full) return ['stopped', 'start']
  if (status !== 'pending') return ['ready', opening(kept)]
  if (approvedAt !== null) return ['blocked', 'none']
  const theirs = strengthOf(rotation)
  const displaces = mine > theirs || (mine === theirs && mine > 1)
  if (mine === 0 || displaces) return ['ready', opening(kept)]
  if (mine === 2) return ['blocked', 'none']
  // Rule R15: what rests on root key and successor is delayed once. Rules R16 and R19: everything else is ended.
  if (theirs < 3 || contestedAt === null) return ['blocked', 'contest', deadline]
  return ['blocked', requestOf(kept, 1) ? 'operator' : 'none']
}

/**
 * Whether this recovery and the pending rotation can end or delay each other because both lead to committed keys. Either
 * the owner or a thief who has words has requested the pending one.
 */
export function isRivalOf(kept: KeptRecovery, commitment: Commitment, rotation: RotationSummary): boolean {
  if (rotation.status !== 'pending' || rotation.approvedAt !== null || rotation.basis === 'replacement') return false
  const basis = basisOf(kept, commitment)
  return basis !== null && basis !== 'replacement' && STRENGTHS[basis] <= strengthOf(rotation)
}
