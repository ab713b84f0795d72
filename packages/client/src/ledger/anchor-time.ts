import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { type AnchorTime, anchorTime as timeOf } from '#protocol/ledger/cosigned/seen-by'
import { checkCall } from '../arguments/check.ts'
import { checkedPolicy, type WitnessPolicy } from '../keys/witness-policy.ts'

/**
 * Since when an anchor is in its log, of a bundle that `verifyAnchor` returned: by when as many of the witnesses as you
 * demand had seen it. If fewer have, or you name none, it is the log’s own word: when it accepted the anchor.
 */
export function anchorTime(bundle: AnchorBundle, witnesses?: WitnessPolicy): AnchorTime {
  checkCall('anchorTime', [bundle, witnesses], ['bundle', ['witnesses?', { threshold: 1, publicKeysB64u: 1 }]])
  return timeOf(bundle, witnesses ? checkedPolicy(witnesses) : null)
}
