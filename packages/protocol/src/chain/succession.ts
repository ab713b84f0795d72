/**
 * Which key may follow which (workers/docs/pages/developer/rotation.md): core decides a rotation by these functions, and
 * readers verify it by them afterwards.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import type { Realms } from '../base/realm.ts'
import { verifyStatement } from '../base/statement.ts'
import type { EpochKey } from './chain.ts'
import { type Commitment, isCommitted } from './commitment.ts'
import type { SignedRotationRehearsal } from './rehearsal.ts'
import type { RotationBasis, SignedRotationRequest } from './rotation.ts'

/** A root key, and who may follow it. */
export interface RootKey extends EpochKey {
  /** Null if it was not shown: then nothing is known of who may follow. */
  readonly commitment: Commitment | null
}

/** What of a request decides on what it rests. */
export interface Asked {
  readonly newPublicKeyB64u: string
  readonly version: 1 | 2
  readonly isSignedByRoot: boolean
  /** By a device that could, in the same act. */
  readonly isCosigned: boolean
}

/** R12, R13, R16, R19: what a request rests on; null if the commitment, or the lack of one, refuses it. */
export function basisOf(commitment: Commitment, asked: Asked): RotationBasis | null {
  const { newPublicKeyB64u, version, isSignedByRoot, isCosigned } = asked
  if (commitment.next.length === 0) return isSignedByRoot ? 'root' : null
  if (isCommitted(commitment, newPublicKeyB64u)) return isSignedByRoot ? 'full' : 'successor'
  return commitment.replaceable && isSignedByRoot && isCosigned && version === 2 ? 'replacement' : null
}

/**
 * Whether the incoming root key signed the request, and the outgoing one if its signature is there. That the signatures
 * suffice, `basisOf` says.
 */
export async function verifyRotation(
  signed: SignedRotationRequest | SignedRotationRehearsal,
  endingKey: Uint8Array,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement, signatureB64u, newKeySignatureB64u } = signed
  if (signatureB64u !== null && !(await verifyStatement({ statement, signatureB64u }, endingKey, expectedRealms))) {
    return false
  }
  const byNewKey = { statement, signatureB64u: newKeySignatureB64u }
  return verifyStatement(byNewKey, bytesOf(statement.newPublicKeyB64u), expectedRealms)
}
