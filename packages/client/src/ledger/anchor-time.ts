import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { seenBy } from '#protocol/ledger/cosigned/seen-by'
import { checkCall } from '../arguments/check.ts'
import { checkedPolicy, type WitnessPolicy } from '../keys/witness-policy.ts'

/** Since when something is in a log of anchors, and whose word that is. */
export interface AnchorTime {
  /** Epoch ms. */
  readonly at: number
  /** `log`: the log’s own word, which nobody else confirms. */
  readonly by: 'witnesses' | 'log'
}

/**
 * Since when an anchor is in its log, of a bundle that `verifyAnchor` returned: by when as many of the witnesses as you
 * demand had seen it. If fewer have, or you name none, it is the log’s own word: when it accepted the anchor.
 */
export function anchorTime(bundle: AnchorBundle, witnesses?: WitnessPolicy): AnchorTime {
  checkCall('anchorTime', [bundle, witnesses], ['bundle', ['witnesses?', { threshold: 1, publicKeysB64u: 1 }]])
  const seen = witnesses && seenBy(bundle.cosigned, checkedPolicy(witnesses))
  return seen ? { at: seen.at, by: 'witnesses' } : { at: Date.parse(bundle.record.createdAt), by: 'log' }
}
