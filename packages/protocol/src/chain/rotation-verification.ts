import { bytesOf } from '../base/base64url.ts'
import { didOf, userIdOfKey } from '../base/identity.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { type Signed, verifyStatement } from '../base/statement.ts'
import type { EpochKey } from './chain.ts'
import { deactivationIdOf, type SignedDeactivation } from './deactivation.ts'
import {
  type RootKeyEvidence,
  type RotationRecord,
  rotationIdOf,
  type SignedRotationRehearsal,
  type SignedRotationRequest,
} from './rotation.ts'

/** Whether both the outgoing and the incoming root key signed the request. */
export async function verifyRotation(
  signed: SignedRotationRequest | SignedRotationRehearsal,
  endingKey: Uint8Array,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement, signatureB64u, newKeySignatureB64u } = signed
  const byNewKey: Signed<object> = { statement, signatureB64u: newKeySignatureB64u }
  return (
    (await verifyStatement({ statement, signatureB64u }, endingKey, expectedRealms)) &&
    (await verifyStatement(byNewKey, bytesOf(statement.newPublicKeyB64u), expectedRealms))
  )
}

/**
 * Whether the signatures support the record: a rotation of this DID, requested by both keys, with vetoes and
 * co-signatures over its own id. Times, status and the owners of signing devices are known only to the service and are
 * trusted.
 */
export async function verifyRotationRecord(
  record: RotationRecord,
  expectedDid: string,
  endingKey: EpochKey,
  expectedRealms: Realms,
): Promise<boolean> {
  const { statement } = record.request
  const rootKey = bytesOf(endingKey.publicKeyB64u)
  const isSame =
    statement.did === expectedDid &&
    record.epoch === endingKey.epoch + 1 &&
    record.cosignatures === record.cosigned.length &&
    record.freezes + record.cancels === record.vetoes.length
  const isAbout = [...record.vetoes, ...record.cosigned].every(
    (signed) => signed.statement.rotationId === record.rotationId,
  )
  if (!isSame || !isAbout || !(await isRequested(record, rootKey, expectedRealms))) return false
  for (const veto of record.vetoes) {
    if (veto.statement.signedBy === 'root' && !(await verifyStatement(veto, rootKey, expectedRealms))) return false
  }
  return true
}

/** Whether a record is about what the root key, and for a rotation the new key, signed. */
async function isRequested(record: RotationRecord, rootKey: Uint8Array, realms: Realms): Promise<boolean> {
  const { request, rotationId, epoch, version, newUserId } = record
  if (!isRotationRequest(request)) {
    const { statement } = request
    return (
      record.kind === 'deactivation' &&
      rotationId === deactivationIdOf(statement) &&
      epoch === statement.epoch + 1 &&
      version === 2 &&
      newUserId === null &&
      verifyStatement(request, rootKey, realms)
    )
  }
  const { statement } = request
  return (
    record.kind === 'rotation' &&
    rotationId === rotationIdOf(statement) &&
    epoch === statement.epoch &&
    version === statement.version &&
    newUserId === userIdOfKey(statement.newPublicKeyB64u) &&
    verifyRotation(request, rootKey, realms)
  )
}

export function isRotationRequest(
  request: SignedRotationRequest | SignedDeactivation,
): request is SignedRotationRequest {
  return 'newKeySignatureB64u' in request
}

export type KeyHistoryFault = {
  readonly reason: 'empty' | 'bad_genesis' | 'broken_link' | 'invalid_signature'
  readonly epoch: number
}

/**
 * Verifies the root keys of a DID by epoch, trusting no party: the DID derives from the first key, and each later key
 * was named by its predecessor and signed the request itself.
 */
export async function verifyKeyHistory(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
  expectedRealms: Realms,
): Promise<Result<readonly [EpochKey, ...EpochKey[]], KeyHistoryFault>> {
  const [genesis, ...rotations] = evidence
  if (!genesis) return err({ reason: 'empty', epoch: 0 })
  const scope = userIdOfKey(genesis.publicKeyB64u)
  if (genesis.epoch !== 0 || didOf(scope) !== expectedDid || genesis.userId !== scope) {
    return err({ reason: 'bad_genesis', epoch: 0 })
  }
  const keys: [EpochKey, ...EpochKey[]] = [{ epoch: 0, userId: scope, publicKeyB64u: genesis.publicKeyB64u }]
  for (const [i, { request, publicKeyB64u, userId, epoch }] of rotations.entries()) {
    const ending = keys[i]
    if (!request || !ending) return err({ reason: 'broken_link', epoch: i + 1 })
    const { statement } = request
    const isNext =
      epoch === i + 1 &&
      statement.epoch === epoch &&
      statement.did === expectedDid &&
      statement.scope === scope &&
      statement.newPublicKeyB64u === publicKeyB64u &&
      userIdOfKey(publicKeyB64u) === userId &&
      // A superseded key never returns; otherwise a block it signed would belong to two epochs.
      !keys.some((earlier) => earlier.userId === userId)
    if (!isNext) return err({ reason: 'broken_link', epoch: i + 1 })
    if (!(await verifyRotation(request, bytesOf(ending.publicKeyB64u), expectedRealms)))
      return err({ reason: 'invalid_signature', epoch })
    keys.push({ epoch, userId, publicKeyB64u })
  }
  return ok(keys)
}
