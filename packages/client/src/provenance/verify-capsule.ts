import { type Capsule, capsuleHash } from '#protocol/provenance/capsules'
import {
  type CapsuleExpectations,
  type CapsuleVerdict,
  signedCapsuleSchema,
  verifySignedCapsule,
} from '#protocol/provenance/signed-capsule'
import { checkCall, type Members } from '../arguments/check.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

export const CAPSULE_EXPECTATIONS: Members<CapsuleExpectations> = {
  realms: 1,
  file: 0,
  expectedDid: 0,
  rootKeys: 0,
  steps: 0,
  followedAt: 0,
  now: 0,
}

/** A capsule without a fault. */
export interface CapsuleEvidence {
  readonly capsule: Capsule
  readonly capsuleHash: string
  /** What was confirmed. Without `key_of_did`, a device may have signed, or somebody else under the name of the DID. */
  readonly verified: CapsuleVerdict['verified']
  /** What the key that signed it is today; null if this does not tell. */
  readonly signer: CapsuleVerdict['signer']
  readonly order: CapsuleVerdict['order']
}

/**
 * Verifies a signed capsule without its bundle, as `client.provenance.sign` returns it. Offline. It proves nothing about a
 * registration. Throws a `VerificationError` with the first fault; `evidence.faults` has all of them.
 */
export async function verifyCapsule(signed: unknown, expectations: CapsuleExpectations): Promise<CapsuleEvidence> {
  checkCall('verifyCapsule', [signed, expectations], ['signed?', ['expectations', CAPSULE_EXPECTATIONS]])
  const { capsule, signature, block } = readAnswer(signedCapsuleSchema, signed)
  const { faults, ...found } = await verifySignedCapsule({ capsule, signature, block }, expectations)
  const [reason] = faults
  if (reason === undefined) return { capsule, capsuleHash: capsuleHash(capsule), ...found }
  throw unverified('capsule', reason, `The capsule does not verify: ${faults.join(', ')}`, {
    evidence: { faults, capsule: signed },
  })
}

/** `verifyCapsule` as a result. */
export function safeVerifyCapsule(...given: Parameters<typeof verifyCapsule>): Promise<Verified<CapsuleEvidence>> {
  return safely(() => verifyCapsule(...given))
}
