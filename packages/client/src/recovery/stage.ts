import { userIdOfKey } from '#protocol/base/identity'
import type { RootAnswer } from '#protocol/chain/api'
import type { RotationSummary } from '#protocol/chain/rotation'
import { idsOf, type KeptRecovery, keptKeys, requestOf } from './kept-recovery.ts'

export const RECOVERY_STAGES = [
  'ready',
  'opened',
  'waiting',
  'contested',
  'due',
  'stopped',
  'blocked',
  'done',
  'void',
] as const
/**
 * - `ready`: not started, and nothing stands in its way.
 * - `opened`: sent, but neither co-signed nor approved; or requested by a committed key alone, or by a key that would
 *   replace the committed ones. Anyone with a key of the identity can still stop it.
 * - `waiting`: co-signed, or for a committed key. The root key can no longer stop it, only contest a co-signed one.
 * - `contested`: the same, and its deadline was moved, which can be done once.
 * - `due`: it can be finished now.
 * - `stopped`: frozen, cancelled, displaced or disputed.
 * - `blocked`: a rotation or deactivation that is co-signed or approved is pending, and is not this one.
 * - `done`: the new key is the root key.
 * - `void`: another key is the root key by now, or the identity is deactivated.
 */
export type RecoveryStage = (typeof RECOVERY_STAGES)[number]

/**
 * - `start`: co-sign with a device (`recovery.start`).
 * - `finish`: activate (`recovery.finish`).
 * - `contest`: stop or delay what is pending (`recovery.contest`), until its deadline.
 * - `operator`: give the operator the version-1 request (`recovery.forOperator`).
 * - `continue`: use the new key: register it, and attest the devices again.
 * - `none`: there is nothing that this recovery can do.
 */
export type RecoveryAct = 'start' | 'finish' | 'contest' | 'operator' | 'continue' | 'none'

export interface RecoveryStep {
  readonly act: RecoveryAct
  /** From when it can be done, or for `contest` until when; epoch ms. Null if it can be done now, or never. */
  readonly at: number | null
}

export interface RecoveryStatus {
  readonly stage: RecoveryStage
  readonly next: RecoveryStep
  /** Whether the identity has committed to its next keys: then no device has to co-sign. */
  readonly isCommitted: boolean
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
  blocked: 'Somebody else is taking over the identity with a co-signature or an approval.',
  done: 'The new key is the root key.',
  void: 'The recovery is void: the root key was changed or the identity was deactivated after it was prepared.',
}

/** What a recovery has come to. Pure; `now` is epoch milliseconds. */
export function statusOf(kept: KeptRecovery, root: RootAnswer, now: number): RecoveryStatus {
  const [stage, act, at = null] = stageOf(kept, root, now)
  const isCommitted = root.commitment.next.length > 0
  return { stage, next: { act, at }, isCommitted, summary: SUMMARIES[stage], rotation: root.rotation }
}

type Step = readonly [RecoveryStage, RecoveryAct, (number | null)?]

function stageOf(kept: KeptRecovery, root: RootAnswer, now: number): Step {
  if (root.deactivated) return ['void', 'none']
  if (root.epoch >= kept.epoch) {
    const isDone = root.epoch === kept.epoch && keptKeys(kept).map(userIdOfKey).includes(root.userId)
    return isDone ? ['done', 'continue'] : ['void', 'none']
  }
  const { rotation } = root
  if (!rotation) return ['ready', opening(kept)]
  if (root.commitment.next.length > 0) return committedStage(kept, rotation, now)
  return idsOf(kept).includes(rotation.rotationId) ? ours(kept, rotation, now) : beside(kept, rotation)
}

/** Under a commitment, root key and successor need nobody else, and only rivals with the same two stand against them. */
function committedStage(kept: KeptRecovery, rotation: RotationSummary, now: number): Step {
  const { status, basis, version, contestedAt, deadline, approvedAt } = rotation
  if (!idsOf(kept).includes(rotation.rotationId)) {
    return status === 'pending' && approvedAt !== null ? ['blocked', 'none'] : ['ready', opening(kept)]
  }
  if (status !== 'pending') return stopped(kept, rotation)
  if (version === 1) return approvedAt === null ? ['opened', opening(kept)] : ['due', 'finish']
  if (deadline !== null && now >= deadline) return ['due', 'finish']
  // Rules R16 and R19: without both the root key and a committed key, a key of the identity can end the rotation.
  if (basis === 'successor' || basis === 'replacement') return ['opened', 'finish', deadline]
  return [contestedAt === null ? 'waiting' : 'contested', 'finish', deadline]
}

/** With a device if a version-2 request is kept, because that needs nobody else. */
function opening(kept: KeptRecovery): 'start' | 'operator' {
  return requestOf(kept, 2) ? 'start' : 'operator'
}

function ours(kept: KeptRecovery, rotation: RotationSummary, now: number): Step {
  const { status, version, cosignatures, contestedAt, deadline, approvedAt } = rotation
  if (status !== 'pending') return stopped(kept, rotation)
  if (version === 1) return approvedAt === null ? ['opened', 'operator'] : ['due', 'finish']
  if (cosignatures === 0) return ['opened', 'start']
  if (deadline !== null && now >= deadline) return ['due', 'finish']
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
