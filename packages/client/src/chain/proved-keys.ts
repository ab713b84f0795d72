import type { Realms } from '#protocol/base/realm'
import type { RootKeyEvidence } from '#protocol/chain/rotation'
import { type JudgeReplacement, verifyKeyHistory } from '#protocol/chain/rotation-verification'
import type { RootKey } from '#protocol/chain/succession'
import { unverified } from '../verification/verification-error.ts'
import type { Activated, KnownRootKey, RootKeys } from './root-keys.ts'

/** The root keys that evidence proves; throws a `VerificationError` that names the epoch. */
export async function provedKeys(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
  expectedRealms: Realms,
  judgeReplacement?: JudgeReplacement,
): Promise<readonly [RootKey, ...RootKey[]]> {
  const keys = await verifyKeyHistory(evidence, expectedDid, expectedRealms, judgeReplacement)
  if (keys.ok) return keys.value
  const { reason, epoch } = keys.error
  throw unverified('keys', reason, `The root keys do not match the DID: ${reason} at ${epoch}`, {
    where: { epoch },
    evidence,
  })
}

/** Adds to each key when it was activated and whether that is proved, from the evidence that proved the keys. */
export async function withActivations(
  [genesis, ...later]: readonly [RootKey, ...RootKey[]],
  evidence: readonly RootKeyEvidence[],
  activationOf: (rotated: RootKeyEvidence) => Activated | Promise<Activated>,
): Promise<RootKeys> {
  const activatedAt = evidence[0]?.activatedAt ?? 0
  const keys: [KnownRootKey, ...KnownRootKey[]] = [{ ...genesis, activated: 'proved', activatedAt }]
  for (const key of later) {
    const rotated = evidence[key.epoch]
    if (rotated) keys.push({ ...key, activated: await activationOf(rotated), activatedAt: rotated.activatedAt })
  }
  return keys
}
