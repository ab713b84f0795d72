import { provedLabel } from '#protocol/keys/account-labels'
import type { LoggedUpdates } from '#protocol/keys/replacement'
import { unverified } from '../verification/verification-error.ts'
import type { LoggedRotations } from './activations.ts'

/** Log proofs of an identity, whose list the caller has verified, with the label that they are under. */
export async function openUpdates(
  { list, labelProofB64u, proofs }: LoggedRotations,
  did: string,
): Promise<LoggedUpdates> {
  const label = await provedLabel(did, labelProofB64u, list.statement)
  if (label !== null) return { list: list.statement, label, proofs }
  throw unverified('label', 'wrong_label', 'The proof does not show a label of the account', {
    evidence: { accountDid: did, labelProofB64u },
  })
}
