import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { type AnchorTime, anchorTime as timeOf } from '#protocol/ledger/cosigned/seen-by'
import { checkCall } from '../arguments/check.ts'
import { checkedPolicy, type WitnessPolicy } from '../keys/witness-policy.ts'

/**
 * Returns when an anchor was logged, from a bundle that `verifyAnchor` returned: the time at which `threshold` of your
 * witnesses had seen it. With fewer, or no witnesses, it is the time at which the log says that it accepted the anchor.
 */
export function anchorTime(bundle: AnchorBundle, witnesses?: WitnessPolicy): AnchorTime {
  checkCall('anchorTime', [bundle, witnesses], ['bundle', ['witnesses?', { threshold: 1, publicKeysB64u: 1 }]])
  return timeOf(bundle, witnesses ? checkedPolicy(witnesses) : null)
}
