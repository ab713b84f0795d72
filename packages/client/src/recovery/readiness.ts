/**
 * How an owner could recover today if keys were stolen or lost (workers/docs/pages/developer/successors.md). Counts only
 * words that the owner has confirmed. Pure.
 *
 * @module
 */
import { type Commitment, isCommitted } from '#protocol/chain/commitment'
import { checkCall } from '../arguments/check.ts'
import { type KeptRecovery, keptKeys } from './kept-recovery.ts'
import { recordedKey, type SheetRecord } from './sheet-record.ts'

export const RECOVERY_MEANINGS = ['words_and_file', 'words', 'root_and_device', 'never'] as const
/**
 * - `words_and_file`: words and file recover the identity in a day. A thief of the root key or a device cannot stop it.
 * - `words`: words alone recover it in 30 days, and only while nobody else has the root key.
 * - `root_and_device`: no words were confirmed. The root key and a device can replace the sheets in 30 days.
 * - `never`: no words were confirmed, and the sheets cannot be replaced.
 */
export type RecoveryMeaning = (typeof RECOVERY_MEANINGS)[number]

interface SheetReadiness {
  readonly confirmedAt: number | null
  readonly isNamed: boolean
  /** Whether the recovery file has a request for its key. */
  readonly isInFile: boolean
}

export interface Readiness {
  /** For each sheet, in order: whether its words were confirmed and the identity commits to its key. */
  readonly sheets: readonly SheetReadiness[]
  /** Whether the recovery file is for this epoch and has a request for at least one of the sheets. */
  readonly hasFile: boolean
  /** Null for an identity without a commitment. */
  readonly meaning: RecoveryMeaning | null
}

/** The state of the identity. `epoch` and `commitment` are those of its current root key. */
export interface ReadinessOf {
  readonly epoch: number
  readonly commitment: Commitment
  readonly sheets: readonly SheetRecord[]
  /** The newest recovery file. */
  readonly recovery: KeptRecovery | null
}

/** Returns how the owner could recover with the words and the recovery file. */
export function recoveryReadiness(given: ReadinessOf): Readiness {
  checkCall('recoveryReadiness', [given], [['given', { epoch: 1, commitment: 1, sheets: 1, recovery: 1 }]])
  const { epoch, commitment, recovery } = given
  const filed = recovery ? keptKeys(recovery) : []
  const sheets = given.sheets.map((record) => {
    const key = recordedKey(record, epoch + 1) ?? ''
    const isNamed = key !== '' && isCommitted(commitment, key)
    return { confirmedAt: record.confirmedAt, isNamed, isInFile: isNamed && filed.includes(key) }
  })
  return { sheets, hasFile: sheets.some(({ isInFile }) => isInFile), meaning: meaningOf(commitment, sheets) }
}

function meaningOf({ next, replaceable }: Commitment, sheets: readonly SheetReadiness[]): RecoveryMeaning | null {
  if (next.length === 0) return null
  const usable = sheets.filter(({ confirmedAt, isNamed }) => isNamed && confirmedAt !== null)
  if (usable.length > 0) return usable.some(({ isInFile }) => isInFile) ? 'words_and_file' : 'words'
  return replaceable ? 'root_and_device' : 'never'
}
