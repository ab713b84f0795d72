/**
 * States of a log that witnesses cosigned, tied to one checkpoint of that log (workers/docs/pages/developer/anchors.md).
 *
 * @module
 */
import { fromHex } from '../../base/hash.ts'
import type { Realms } from '../../base/realm.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { verifyCosignature } from '../../keys/cosignature.ts'
import type { SignedCheckpoint } from '../../merkle/checkpoint.ts'
import type { LogPosition } from '../../merkle/log-name.ts'
import { verifyConsistency } from '../../merkle/tree.ts'
import type { LoggedAnchor } from '../anchor-log.ts'
import { type SeenFault, verifySeen } from '../cosigned/seen-by.ts'
import type { CosignedState, FirstState } from './anchor-bundle.ts'

export interface CosignedStates {
  readonly first: FirstState | null
  readonly cosigned: readonly CosignedState[]
}

export type StatesFault =
  | SeenFault
  | {
      readonly reason: /** The log does not extend a state that was cosigned. */
        | 'inconsistent'
        /** A state is not the first: a witness appears twice, or a smaller state is shown elsewhere. */
        | 'not_first'
    }

/**
 * Verifies that each cosigned state is a prefix of the log at the checkpoint, that each cosignature is signed by the key
 * that it names, and that no state contradicts the others about which came first. `seenBy` applies a witness policy.
 */
export async function verifyStates(
  anchor: LoggedAnchor & { readonly position: LogPosition },
  { first, cosigned }: CosignedStates,
  { statement: newest }: SignedCheckpoint,
  realms: Realms,
): Promise<Result<void, StatesFault>> {
  const { position } = anchor
  if (!areFirst(position.index, { first, cosigned })) return err({ reason: 'not_first' })
  if (first && first.cosignature.statement.log !== position.log) return err({ reason: 'wrong_log' })
  if (first && !(await verifyCosignature(first.cosignature, realms))) return err({ reason: 'invalid_signature' })
  for (const one of cosigned) {
    const seen = await verifySeen(anchor, one, realms)
    if (!seen.ok) return seen
  }
  const isExtended = [...(first ? [first] : []), ...cosigned].every(({ cosignature, consistency }) => {
    const { size, root } = cosignature.statement
    const proof = consistency.map(fromHex)
    return verifyConsistency(size, fromHex(root), newest.size, fromHex(newest.root), proof)
  })
  return isExtended ? ok(undefined) : err({ reason: 'inconsistent' })
}

function areFirst(index: number, { first, cosigned }: CosignedStates): boolean {
  const keys = new Set(cosigned.map(({ cosignature }) => cosignature.publicKeyB64u))
  if (keys.size < cosigned.length) return false
  if (!first) return cosigned.length === 0
  const { publicKeyB64u, statement } = first.cosignature
  if (cosigned.some(({ cosignature }) => cosignature.statement.size < statement.size)) return false
  // If it covers the anchor, it is also its witness's first state with the anchor.
  return (
    statement.size <= index ||
    cosigned.some(
      ({ cosignature: one }) => one.publicKeyB64u === publicKeyB64u && one.statement.size === statement.size,
    )
  )
}
