/**
 * What core adds to the law of the chain (`@svc/protocol/chain`): which profile and epoch it takes now.
 *
 * @module
 */
import { type ChainBlock, type ChainHead, checkLink } from '@svc/protocol/chain'
import type { Appended } from '@svc/protocol/chain-api'
import { err, ok, type Result } from '@svc/protocol/result'

/** Where the block would go. */
export interface ChainPosition {
  readonly scope: string
  readonly epoch: number
  /** The userId of the current root key, which alone signs blocks; a device only carries them here. */
  readonly ownerUserId: string
  readonly head: ChainHead
  readonly held: boolean
}

export type AppendRefusal =
  | { readonly reason: 'owner_mismatch' }
  | { readonly reason: 'security_hold'; readonly appended: Appended | null }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'stale_head'; readonly head: ChainHead; readonly appended: Appended | null }

/** The members of a block that decide whether it may be appended; its signature was checked before. */
export interface AppendClaim {
  /** The userId of the key that the block names and that has signed it. */
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

/** `earlier` finds this very block in the chain, so that a retry whose first answer was lost can tell it has won. */
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
