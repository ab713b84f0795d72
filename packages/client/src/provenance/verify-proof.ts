import { type Commitment, commitmentHash, SALT_BYTES } from '#protocol/provenance/commitments'
import {
  type ProofExpectations,
  type ProofVerdict,
  proofBundleSchema,
  verifyProofBundle,
} from '#protocol/provenance/proof-bundle'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { readBytesOf } from '../verification/read-bytes.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { CAPSULE_EXPECTATIONS } from './verify-capsule.ts'

/** A bundle without a fault: what this verification confirmed, and what still relies on trust. */
export type ProofEvidence = Pick<ProofVerdict, 'verified' | 'unverified' | 'gaps' | 'signer' | 'order'>

/**
 * Verifies a bundle offline. Throws a `VerificationError` with the first fault if anything that could be checked is wrong;
 * `evidence.faults` has all of them.
 */
export async function verifyProof(bundle: unknown, expectations: ProofExpectations): Promise<ProofEvidence> {
  checkCall('verifyProof', [bundle, expectations], ['bundle?', ['expectations', CAPSULE_EXPECTATIONS]])
  const read = readAnswer(proofBundleSchema, bundle)
  const { faults, verified, unverified: trusted, gaps, signer, order } = await verifyProofBundle(read, expectations)
  const [reason] = faults
  if (reason === undefined) return { verified, unverified: trusted, gaps, signer, order }
  throw unverified('capsule', reason, `The bundle does not prove the registration: ${faults.join(', ')}`, {
    evidence: { faults, bundle: read },
  })
}

/** Verifies that a commitment is to this content, with its salt. Offline. Throws a `VerificationError` if it is not. */
export function verifyOpening(
  commitment: Pick<Commitment, 'commitment_hash'>,
  saltB64u: string,
  content: Uint8Array,
): void {
  checkCall('verifyOpening', [commitment, saltB64u, content], ['commitment', 'saltB64u', 'content'])
  const salt = readBytesOf('commitment', 'saltB64u', saltB64u)
  if (salt.length !== SALT_BYTES)
    throw unverified('commitment', 'malformed', `A salt has ${SALT_BYTES} bytes`, { where: { member: 'saltB64u' } })
  if (commitmentHash(salt, content) === commitment.commitment_hash) return
  throw unverified('commitment', 'hash_mismatch', 'The commitment is to other content, or was made with another salt', {
    evidence: commitment,
  })
}

/** `verifyProof` as a result. */
export function safeVerifyProof(...given: Parameters<typeof verifyProof>): Promise<Verified<ProofEvidence>> {
  return safely(() => verifyProof(...given))
}

/** `verifyOpening` as a result. */
export function safeVerifyOpening(...given: Parameters<typeof verifyOpening>): Promise<Verified<void>> {
  return safely(() => verifyOpening(...given))
}
