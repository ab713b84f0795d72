import * as z from 'zod'
import type { Realms } from '#protocol/base/realm'
import { rootKeyEvidenceSchema } from '#protocol/chain/rotation'
import { checkCall } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { type LoggedEvidence, openLogged } from './logged-history.ts'
import { provedKeys, withActivations } from './proved-keys.ts'
import type { RootKeys } from './root-keys.ts'

export type { Activated, KnownRootKey, RootKeys } from './root-keys.ts'

const evidenceSchema = /* @__PURE__ */ z.array(rootKeyEvidenceSchema)

/**
 * Verifies a saved key history, trusting only the DID: `evidence` are the `keys` that `GET /api/chain/root/{did}/history`
 * returns, those of all its pages in order. Returns the root keys, as `verifyChain` and `verifyProof` accept them. Cannot
 * detect that a later rotation is missing. Without `logged`, it also cannot detect a rotation that never took effect, so
 * each is `claimed`, and it refuses a key that was not committed. Throws a `VerificationError` that names the epoch.
 */
export async function verifyKeyHistory(
  evidence: unknown,
  expectedDid: string,
  expectedRealms: Realms,
  logged?: LoggedEvidence,
): Promise<RootKeys> {
  checkCall(
    'verifyKeyHistory',
    [evidence, expectedDid, expectedRealms, logged],
    ['evidence?', 'expectedDid', 'expectedRealms', ['logged?', { list: 1, listKeys: 1, labelProofB64u: 1, proofs: 1 }]],
  )
  const read = readAnswer(evidenceSchema, evidence)
  const log = logged ? await openLogged(logged, expectedDid, expectedRealms) : null
  const keys = await provedKeys(read, expectedDid, expectedRealms, log?.judgeReplacement)
  return withActivations(keys, read, (rotated) => log?.activationOf(rotated) ?? 'claimed')
}

/** `verifyKeyHistory` as a result. */
export function safeVerifyKeyHistory(...given: Parameters<typeof verifyKeyHistory>): Promise<Verified<RootKeys>> {
  return safely(() => verifyKeyHistory(...given))
}
