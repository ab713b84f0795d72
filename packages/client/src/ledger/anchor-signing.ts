import type { SignerState } from '#protocol/devices/signer-standing'
import type { AnchorRecord } from '#protocol/ledger/anchors'
import { endOfRoot, type RootKeys } from '../chain/root-keys.ts'
import type { Order } from '../evidence/verdict/verdict.ts'
import { unverified } from '../verification/verification-error.ts'

export interface AnchorSigning {
  /**
   * The current state of the owner's newest root key that attested the anchor. Null if no root key attested it, because
   * policy signers may attest for the owner.
   */
  readonly signer: SignerState | null
  /** `log`: the log has the anchor from before that key ended. `unknown`: nothing proves the order. */
  readonly order: Order
}

export const UNTOLD: AnchorSigning = { signer: null, order: 'unknown' }

/**
 * Compares the time at which core accepted an anchor with the end of the key that attested it. Throws a
 * `VerificationError` with the reason `not_entitled` if the only key had ended before.
 */
export function anchorSigning({
  keys,
  record,
}: {
  readonly keys: RootKeys
  readonly record: AnchorRecord
}): AnchorSigning {
  const { attestations, createdAt } = record
  const newest = keys.findLast((key) => attestations.some(({ publicKeyB64u }) => publicKeyB64u === key.publicKeyB64u))
  if (!newest) return UNTOLD
  const end = endOfRoot(keys, newest.epoch)
  if (end === null) return { signer: 'active', order: 'log' }
  if (Date.parse(createdAt) <= end) return { signer: 'superseded', order: 'log' }
  if (attestations.length > 1) return { signer: 'superseded', order: 'unknown' }
  throw unverified('anchor', 'not_entitled', 'The anchor was logged after its key was replaced', { evidence: record })
}
