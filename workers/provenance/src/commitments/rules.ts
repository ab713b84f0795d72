/**
 * How a commitment is shown, by profile. A record is never relabelled: one under another algorithm than the current one
 * is not shown and cannot be verified here.
 *
 * @module
 */

import { HASH_ALG } from '@svc/protocol/base/labels'
import type { Commitment } from '@svc/protocol/provenance/commitments'

export interface StoredCommitment {
  readonly id: string
  readonly did: string | null
  readonly commitmentHash: string
  readonly algorithm: string
  readonly profile: 'native' | 'historical'
  readonly createdAt: number
}

const RULE = 'SHA3-384(UTF-8 "svc/commitment/v1" ‖ 0x00 ‖ 32 bytes of salt ‖ SHA3-384(content))'

export function projected(stored: StoredCommitment): Commitment {
  const { id, did, commitmentHash, algorithm, profile, createdAt } = stored
  const isLabelled = algorithm === HASH_ALG
  const verifiable = isLabelled && profile === 'native' && /^[0-9a-f]{96}$/.test(commitmentHash)
  return {
    id,
    commitment_hash: commitmentHash,
    algorithm: isLabelled ? HASH_ALG : null,
    did,
    created_at_ms: createdAt,
    profile,
    verification: {
      verifiable,
      rule: RULE,
      reason: verifiable ? null : 'The record is historical: how it was salted is not known here',
    },
  }
}
