import { userIdOfKey } from '#protocol/base/identity'
import type { RootAnswer } from '#protocol/chain/api'
import type { RotationSummary } from '#protocol/chain/rotation'
import { committedStage, isRivalOf } from './committed-stage.ts'
import { type KeptRecovery, keptKeys, requestOf } from './kept-recovery.ts'
import { opening, type RecoveryStage, type RecoveryStep, type Step } from './steps.ts'

export interface RecoveryStatus {
  readonly stage: RecoveryStage
  readonly next: RecoveryStep
  /** Whether the identity has committed to its next keys: then no device has to co-sign. */
  readonly isCommitted: boolean
  /** Whether `rotation` is this recovery, by the kept requests or by others for the same key. */
  readonly isOurs: boolean
  /**
   * Whether a rotation to another committed key, or to this key with other sheets, is pending. You may have requested it,
   * or a thief who has your words. It and this recovery can end or delay each other, so `recover` stops unless you pass
   * `dispute`.
   */
  readonly isRival: boolean
  /** The stage in a sentence, for the owner. */
  readonly summary: string
  /** The newest rotation or deactivation of the identity, whether it is this recovery or not. */
  readonly rotation: RotationSummary | null
}

const SUMMARIES: Readonly<Record<RecoveryStage, string>> = {
  ready: 'The recovery can be started.',
  opened: 'The recovery is public, but anyone with a key of the identity can stop it.',
  waiting: 'The root key alone cannot stop the recovery.',
  contested: 'The recovery was delayed, which cannot be done again.',
  due: 'The recovery can be finished now.',
  stopped: 'The recovery was stopped.',
  blocked: 'Another rotation is pending, and this recovery cannot take its place.',
  done: 'The new key is the root key.',
  void: 'The recovery is void: the root key was changed or the identity was deactivated after it was prepared.',
}

/** The ids of the rotations that lead to the key of a recovery, and the time, epoch ms. */
interface Seen {
  readonly ids: readonly string[]
  readonly now: number
}

/** What a recovery has come to. Pure. */
export function statusOf(kept: KeptRecovery, root: RootAnswer, seen: Seen): RecoveryStatus {
  const [stage, act, at = null] = stageOf(kept, root, seen)
  const { commitment, rotation } = root
  const isCommitted = commitment.next.length > 0
  const isOurs = rotation !== null && seen.ids.includes(rotation.rotationId)
  const isRival = isCommitted && rotation !== null && !isOurs && isRivalOf(kept, commitment, rotation)
  return { stage, next: { act, at }, isCommitted, isOurs, isRival, summary: SUMMARIES[stage], rotation }
}

function stageOf(
  kept: KeptRecovery,
  { deactivated, epoch, userId, commitment, rotation }: RootAnswer,
  seen: Seen,
): Step {
  if (deactivated) return ['void', 'none']
  if (epoch >= kept.epoch) {
    const isDone = epoch === kept.epoch && keptKeys(kept).map(userIdOfKey).includes(userId)
    return isDone ? ['done', 'continue'] : ['void', 'none']
  }
  if (!rotation) return ['ready', opening(kept)]
  const isOurs = seen.ids.includes(rotation.rotationId)
  if (commitment.next.length > 0) return committedStage(kept, commitment, rotation, { isOurs, now: seen.now })
  return isOurs ? ours(kept, rotation, seen.now) : beside(kept, rotation)
}

function ours(kept: KeptRecovery, rotation: RotationSummary, now: number): Step {
  const { status, version, cosignatures, requiredCosigners, contestedAt, deadline, approvedAt } = rotation
  if (status !== 'pending') return stopped(kept, rotation)
  if (version === 1) return approvedAt === null ? ['opened', 'operator'] : ['due', 'finish']
  if (cosignatures < requiredCosigners) return ['opened', 'start']
  if (deadline !== null && now >= deadline) return ['due', 'finish']
  if (cosignatures === 0) return ['opened', 'finish', deadline]
  return [contestedAt === null ? 'waiting' : 'contested', 'finish', deadline]
}

/** A co-signature reopens what ended without one. What a device of the thief froze after that, only an operator revives. */
function stopped(kept: KeptRecovery, { version, cosignatures }: RotationSummary): Step {
  if (version === 2 && cosignatures === 0) return ['stopped', 'start']
  if (version === 1 && requestOf(kept, 2)) return ['stopped', 'start']
  return ['stopped', requestOf(kept, 1) ? 'operator' : 'none']
}

/** R11: nothing overtakes what is co-signed or approved. A co-signed request displaces everything else. */
function beside(kept: KeptRecovery, { status, cosignatures, approvedAt, deadline }: RotationSummary): Step {
  if (status !== 'pending' || (cosignatures === 0 && approvedAt === null)) return ['ready', opening(kept)]
  return approvedAt === null ? ['blocked', 'contest', deadline] : ['blocked', 'none']
}
