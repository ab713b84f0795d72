/** The stages of a recovery, and the steps that can follow. */
import { type KeptRecovery, requestOf } from './kept-recovery.ts'

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
 * - `blocked`: another rotation or a deactivation is pending, and this recovery cannot displace it.
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

/** A stage, what comes next, and when; see `RecoveryStep`. */
export type Step = readonly [RecoveryStage, RecoveryAct, (number | null)?]

/** How a recovery starts: with a version-2 request if one is kept, because that needs no operator. */
export function opening(kept: KeptRecovery): 'start' | 'operator' {
  return requestOf(kept, 2) ? 'start' : 'operator'
}
