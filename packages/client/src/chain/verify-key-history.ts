import type { Realms } from '@svc/protocol/base/realm'
import type { EpochKey } from '@svc/protocol/chain/chain'
import {
  type RootKeyEvidence,
  rootKeyEvidenceSchema,
  verifyKeyHistory as verifyEvidence,
} from '@svc/protocol/chain/rotation'
import * as z from 'zod'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** The root keys of an identity by epoch, the current one last. */
export type RootKeys = readonly [EpochKey, ...EpochKey[]]

const evidenceSchema = z.array(rootKeyEvidenceSchema)

/**
 * Verifies a saved key history, trusting only the DID: `evidence` are the `keys` that `GET /api/chain/root/{did}/history`
 * answers, those of all its pages in order. Returns the root keys, as `verifyChain` and `verifyProof` take them. That a
 * later rotation is missing, it cannot notice. Throws a `VerificationError` that names the epoch.
 */
export function verifyKeyHistory(evidence: unknown, expectedDid: string, expectedRealms: Realms): Promise<RootKeys> {
  return provedKeys(readAnswer(evidenceSchema, evidence), expectedDid, expectedRealms)
}

/** `verifyKeyHistory` as a result. */
export function safeVerifyKeyHistory(...given: Parameters<typeof verifyKeyHistory>): Promise<Verified<RootKeys>> {
  return safely(() => verifyKeyHistory(...given))
}

/** The same for evidence whose form was read before. */
export async function provedKeys(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
  expectedRealms: Realms,
): Promise<RootKeys> {
  const keys = await verifyEvidence(evidence, expectedDid, expectedRealms)
  if (keys.ok) return keys.value
  const { reason, epoch } = keys.error
  throw unverified('keys', reason, `The root keys do not match the DID: ${reason} at ${epoch}`, {
    where: { epoch },
    evidence,
  })
}
