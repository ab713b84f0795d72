import type { Realms } from '#protocol/base/realm'
import type { RootKeyEvidence } from '#protocol/chain/rotation'
import { type JudgeReplacement, verifyKeyHistory } from '#protocol/chain/rotation-verification'
import type { RootKey } from '#protocol/chain/succession'
import { unverified } from '../verification/verification-error.ts'

/** `proved`: the log of the key directory has the rotation. `claimed`: core says that it took effect. */
export type Activated = 'proved' | 'claimed'

export interface KnownRootKey extends RootKey {
  /** Whether it took effect. The first key always did: the DID is made of it. */
  readonly activated: Activated
  /** Since when it is the root key, by the word of core, epoch ms. The key before ended then. */
  readonly activatedAt: number
}

/** The root keys of an identity by epoch, the current one last. */
export type RootKeys = readonly [KnownRootKey, ...KnownRootKey[]]

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

/** The same keys with what is known of each rotation, from the evidence that proved them. */
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

/** When the key of an epoch ended, by the word of core, epoch ms; null for the current one. */
export function endOfRoot(keys: RootKeys, epoch: number): number | null {
  return keys[epoch + 1]?.activatedAt ?? null
}
