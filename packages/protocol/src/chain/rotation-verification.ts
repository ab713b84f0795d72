import { bytesOf } from '../base/base64url.ts'
import { didOf, userIdOfKey } from '../base/identity.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import type { EpochKey } from './chain.ts'
import { type Commitment, isCommitted } from './commitment.ts'
import { deactivationIdOf, type SignedDeactivation } from './deactivation.ts'
import { genesisCommitment } from './genesis.ts'
import {
  type ReplacementEvidence,
  type RootKeyEvidence,
  type RotationRecord,
  rotationIdOf,
  type SignedRotationRequest,
  type SignedVeto,
} from './rotation.ts'
import { basisOf, type RootKey, verifyRotation } from './succession.ts'

/**
 * Whether the signatures support the record: a rotation of this DID, requested by both keys, with vetoes and
 * co-signatures over its own id. Times, status and the owners of signing devices are known only to the service and are
 * trusted.
 */
export async function verifyRotationRecord(
  record: RotationRecord,
  expectedDid: string,
  endingKey: RootKey,
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
  const { commitment } = endingKey
  if (!isSame || !isAbout || commitment === null) return false
  if (!(await isRequested(record, rootKey, commitment, expectedRealms))) return false
  for (const veto of record.vetoes) {
    const key = keyOf(veto, rootKey, commitment)
    if (key === 'nobody' || (key && !(await verifyStatement(veto, key, expectedRealms)))) return false
  }
  return true
}

/** The key of a veto: null for a device, whose key is not in the record. */
function keyOf({ statement }: SignedVeto, rootKey: Uint8Array, commitment: Commitment): Uint8Array | null | 'nobody' {
  if (statement.signedBy === 'root') return rootKey
  if (!('successorPublicKeyB64u' in statement) || statement.successorPublicKeyB64u === undefined) return null
  const { successorPublicKeyB64u: key } = statement
  return isCommitted(commitment, key) ? bytesOf(key) : 'nobody'
}

/** Whether a record is about what the root key, and for a rotation the new key, signed. */
async function isRequested(
  record: RotationRecord,
  rootKey: Uint8Array,
  commitment: Commitment,
  realms: Realms,
): Promise<boolean> {
  const { request, rotationId, epoch, version, newUserId } = record
  if (!isRotationRequest(request)) {
    const { statement } = request
    return (
      record.kind === 'deactivation' &&
      record.basis === (commitment.next.length === 0 ? 'root' : 'full') &&
      (await isEndedBySuccessor(request, commitment, realms)) &&
      rotationId === deactivationIdOf(statement) &&
      epoch === statement.epoch + 1 &&
      version === 2 &&
      newUserId === null &&
      verifyStatement(request, rootKey, realms)
    )
  }
  const { statement, signatureB64u } = request
  const { newPublicKeyB64u } = statement
  const isCosigned = record.cosigned.length > 0
  return (
    record.kind === 'rotation' &&
    record.basis ===
      basisOf(commitment, { newPublicKeyB64u, version, isSignedByRoot: signatureB64u !== null, isCosigned }) &&
    rotationId === rotationIdOf(statement) &&
    epoch === statement.epoch &&
    version === statement.version &&
    newUserId === userIdOfKey(statement.newPublicKeyB64u) &&
    verifyRotation(request, rootKey, realms)
  )
}

/** R17: an identity with a commitment ends by root key and successor. */
export async function isEndedBySuccessor(
  { statement, successorPublicKeyB64u: key, successorSignatureB64u: signatureB64u }: SignedDeactivation,
  commitment: Commitment,
  realms: Realms,
): Promise<boolean> {
  if (commitment.next.length === 0) return true
  if (key === undefined || signatureB64u === undefined || !isCommitted(commitment, key)) return false
  return verifyStatement({ statement, signatureB64u }, bytesOf(key), realms)
}

export function isRotationRequest(
  request: SignedRotationRequest | SignedDeactivation,
): request is SignedRotationRequest {
  return 'newKeySignatureB64u' in request
}

/** Why the evidence does not prove that a key replaced the committed keys. */
export type ReplacementFault =
  /** The co-signing device had no standing at the time of the request, or the root key did not attest it. */
  | 'no_standing'
  /** Nothing proves that the log of the key directory has the request followed by the activation. */
  | 'not_in_log'
  /** The log shows that the request was public for less than 30 days. */
  | 'too_early'

/** A rotation to a key that was not committed, to be checked against the log of the key directory. */
export interface Replacement {
  readonly did: string
  readonly rotationId: string
  readonly ending: EpochKey
  readonly evidence: ReplacementEvidence
}
export type JudgeReplacement = (replacement: Replacement) => Promise<ReplacementFault | null>

/** Without the log, nothing proves when the request was made or that it took effect. */
const unlogged: JudgeReplacement = () => Promise.resolve('not_in_log')

export type KeyHistoryFault = {
  readonly reason:
    | 'empty'
    | 'bad_genesis'
    | 'commitment_withheld'
    | 'broken_link'
    | 'key_not_committed'
    | ReplacementFault
    | 'invalid_signature'
  readonly epoch: number
}

/**
 * Verifies the root keys of a DID by epoch, trusting no party: the DID derives from the first key, and each later key
 * signed its request itself and is one that the key before it committed to, or, without a commitment, was named by the
 * key before it. A key that replaced the committed keys also needs proof from the log of the key directory
 * (`keys/replacement`).
 * A thief of every root key can make a second genesis block: remember the first that you saw.
 */
export async function verifyKeyHistory(
  evidence: readonly RootKeyEvidence[],
  expectedDid: string,
  expectedRealms: Realms,
  judgeReplacement: JudgeReplacement = unlogged,
): Promise<Result<readonly [RootKey, ...RootKey[]], KeyHistoryFault>> {
  const [genesis, ...rotations] = evidence
  if (!genesis) return err({ reason: 'empty', epoch: 0 })
  const scope = userIdOfKey(genesis.publicKeyB64u)
  if (genesis.epoch !== 0 || didOf(scope) !== expectedDid || genesis.userId !== scope) {
    return err({ reason: 'bad_genesis', epoch: 0 })
  }
  const first = genesis.genesis && (await genesisCommitment(genesis.genesis, genesis.publicKeyB64u))
  if (first && !first.ok) return err({ reason: first.error, epoch: 0 })
  const commitment = first?.value ?? null
  const keys: [RootKey, ...RootKey[]] = [{ epoch: 0, userId: scope, publicKeyB64u: genesis.publicKeyB64u, commitment }]
  for (const [i, { request, publicKeyB64u, userId, epoch, replacement }] of rotations.entries()) {
    const ending = keys[i]
    if (!request || !ending) return err({ reason: 'broken_link', epoch: i + 1 })
    if (!ending.commitment) return err({ reason: 'commitment_withheld', epoch: i })
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
    const { next, replaceable, version } = statement
    const isSignedByRoot = request.signatureB64u !== null
    const isCosigned = replacement !== undefined
    const basis = basisOf(ending.commitment, { newPublicKeyB64u: publicKeyB64u, version, isSignedByRoot, isCosigned })
    if (!basis) return err({ reason: 'key_not_committed', epoch })
    if (!(await verifyRotation(request, bytesOf(ending.publicKeyB64u), expectedRealms)))
      return err({ reason: 'invalid_signature', epoch })
    if (basis === 'replacement' && replacement) {
      const rotationId = rotationIdOf(statement)
      const fault = await judgeReplacement({ did: expectedDid, rotationId, ending, evidence: replacement })
      if (fault) return err({ reason: fault, epoch })
    }
    keys.push({ epoch, userId, publicKeyB64u, commitment: { next, replaceable } })
  }
  return ok(keys)
}
