import * as z from 'zod'
import type { Realms } from '#protocol/base/realm'
import { rootKeyEvidenceSchema } from '#protocol/chain/rotation'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { provedKeys, type RootKeys, withActivations } from './proved-keys.ts'

export type { Activated, KnownRootKey, RootKeys } from './proved-keys.ts'

const evidenceSchema = /* @__PURE__ */ z.array(rootKeyEvidenceSchema)

/**
 * Verifies a saved key history, trusting only the DID: `evidence` are the `keys` that `GET /api/chain/root/{did}/history`
 * answers, those of all its pages in order. Returns the root keys, as `verifyChain` and `verifyProof` take them. That a
 * later rotation is missing, it cannot notice, nor that one of them never took effect: each is `claimed`. Throws a
 * `VerificationError` that names the epoch.
 */
export async function verifyKeyHistory(
  evidence: unknown,
  expectedDid: string,
  expectedRealms: Realms,
): Promise<RootKeys> {
  checkCall('verifyKeyHistory', [evidence, expectedDid, expectedRealms], ['evidence?', 'expectedDid', 'expectedRealms'])
  const keys = await provedKeys(readAnswer(evidenceSchema, evidence), expectedDid, expectedRealms)
  return withActivations(keys, () => 'claimed')
}

/** `verifyKeyHistory` as a result. */
export function safeVerifyKeyHistory(...given: Parameters<typeof verifyKeyHistory>): Promise<Verified<RootKeys>> {
  return safely(() => verifyKeyHistory(...given))
}
