/**
 * What core adds to the rules of the chain (`@svc/protocol/chain/chain`): the profile and epoch it accepts now.
 *
 * @module
 */

import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Appended } from '@svc/protocol/chain/api'
import { type ChainBlock, type ChainHead, checkLink } from '@svc/protocol/chain/chain'
import type { BudgetRefusal } from '../storage/rules.ts'

/** The position at which a block would be appended. */
export interface ChainPosition {
  readonly scope: string
  readonly epoch: number
  /** The userId of the current root key, the only one that signs blocks; a device only submits them here. */
  readonly ownerUserId: string
  readonly head: ChainHead
  readonly held: boolean
}

export type AppendRefusal =
  | { readonly reason: 'owner_mismatch' }
  | { readonly reason: 'security_hold'; readonly appended: Appended | null }
  | BudgetRefusal
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'stale_head'; readonly head: ChainHead; readonly appended: Appended | null }

/** The members of a block that decide whether it can be appended; the caller has verified its signature. */
export interface AppendClaim {
  /** The userId of the key that the block names and that signed it. */
  readonly ownerUserId: string
  readonly index: string
  readonly previousHash: string
  readonly scope: string | null
  readonly epoch: number | null
}

export function claimOf(block: ChainBlock, ownerUserId: string): AppendClaim {
  const { index, previousHash } = block
  return block.version === 4
    ? { ownerUserId, index, previousHash, scope: block.scope, epoch: block.epoch }
    : { ownerUserId, index, previousHash, scope: null, epoch: null }
}

/** `earlier` finds the same block in the chain, so that a retry whose first answer was lost learns it succeeded. */
export function checkAppend(
  position: ChainPosition,
  claim: AppendClaim,
  earlier: () => Appended | null,
): Result<void, AppendRefusal> {
  if (position.held) return err({ reason: 'security_hold', appended: earlier() })
  if (claim.ownerUserId !== position.ownerUserId) return err({ reason: 'owner_mismatch' })
  if (claim.scope !== null && claim.scope !== position.scope) return err({ reason: 'owner_mismatch' })
  if (claim.epoch !== null && claim.epoch !== position.epoch)
    return err({ reason: 'stale_epoch', epoch: position.epoch })
  if (!checkLink(position.head, claim).ok)
    return err({ reason: 'stale_head', head: position.head, appended: earlier() })
  return ok(undefined)
}
