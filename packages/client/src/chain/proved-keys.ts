import type { Realms } from '#protocol/base/realm'
import type { RootKeyEvidence } from '#protocol/chain/rotation'
import { verifyKeyHistory } from '#protocol/chain/rotation-verification'
import type { RootKey } from '#protocol/chain/succession'
import { unverified } from '../verification/verification-error.ts'

/** The root keys of an identity by epoch, the current one last. */
export type RootKeys = readonly [RootKey, ...RootKey[]]

/** The root keys that evidence proves; throws a `VerificationError` that names the epoch. */
export async function provedKeys(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
  expectedRealms: Realms,
): Promise<RootKeys> {
  const keys = await verifyKeyHistory(evidence, expectedDid, expectedRealms)
  if (keys.ok) return keys.value
  const { reason, epoch } = keys.error
  throw unverified('keys', reason, `The root keys do not match the DID: ${reason} at ${epoch}`, {
    where: { epoch },
    evidence,
  })
}
