import { submissionBytes } from '#protocol/ledger/anchor-submission'
import type { GovernanceAttestation } from '#protocol/ledger/attestations'
import { Identity } from '../identity/identity.ts'
import { attestationBy } from './attestation.ts'

/** A root key's attestation that an owner submits a root. Throws a `TypeError` for any other signer. */
export function attestSubmission(
  signer: unknown,
  submission: Parameters<typeof submissionBytes>[0],
  realm: string,
  now: number,
): Promise<GovernanceAttestation> {
  if (!(signer instanceof Identity)) throw new TypeError('Only a root key can attest a submission')
  return attestationBy(signer, (issuedAt) => submissionBytes(submission, realm, issuedAt), now)
}
