/**
 * Hashes and ids of what identities sign, as the services compute them.
 *
 * @module
 */
import { userIdOfKey as ofKey } from '#protocol/base/identity'
import type { InceptionHead } from '#protocol/base/inception-head'
import { statementHash as ofStatement } from '#protocol/base/statement'
import {
  type ChainBlock,
  isSigned as hasSignature,
  verifyBlockSignature as isOfNamedKey,
  blockHash as ofBlock,
  type SignedBlock,
} from '#protocol/chain/chain'
import { rotationIdOf as ofRotation, type RotationRequest } from '#protocol/chain/rotation'
import { inceptionHeadAfter as headAfter, type InceptionEvent } from '#protocol/devices/inception'
import { type FeedEvent, isKnownEvent as isKnown, type KnownEvent } from '#protocol/events/events'
import { type GuardianRequest, guardianRequestId as ofGuardians } from '#protocol/keys/guardians'
import { type NoteHeader, type PreparedHeader, prepareHeader as prepared } from '#protocol/notes/headers'
import { checkCall } from '../arguments/check.ts'

/** The userId of a public key, base64url. */
export function userIdOfKey(publicKeyB64u: string): string {
  checkCall('userIdOfKey', [publicKeyB64u], ['publicKeyB64u'])
  return ofKey(publicKeyB64u)
}

/** SHA3-384 hex of a statement's canonical bytes; identifies the statement. */
export function statementHash(statement: object): string {
  checkCall('statementHash', [statement], ['statement'])
  return ofStatement(statement)
}

/** SHA3-384 over JCS of the block with `signature`. */
export function blockHash(block: SignedBlock): string {
  checkCall('blockHash', [block], ['block'])
  return ofBlock(block)
}

/** Whether a block has a signature: a core may show the first ones of a chain without. */
export function isSigned(block: ChainBlock): block is SignedBlock {
  checkCall('isSigned', [block], ['block'])
  return hasSignature(block)
}

/** Whether the block is signed by the key it names. The caller checks whose key that is. */
export async function verifyBlockSignature(block: SignedBlock): Promise<boolean> {
  checkCall('verifyBlockSignature', [block], ['block'])
  return isOfNamedKey(block)
}

/** The id of a rotation: SHA3-384 hex over JCS of its request. */
export function rotationIdOf(request: RotationRequest): string {
  checkCall('rotationIdOf', [request], ['request'])
  return ofRotation(request)
}

/** The head of an inception log after an event. */
export function inceptionHeadAfter(event: InceptionEvent): InceptionHead {
  checkCall('inceptionHeadAfter', [event], ['event'])
  return headAfter(event)
}

/** Whether this version knows what kind of event it is. Others are in the hashes too, and are verified like these. */
export function isKnownEvent(event: FeedEvent): event is KnownEvent {
  checkCall('isKnownEvent', [event], ['event'])
  return isKnown(event)
}

/** The id of a request. Its nonce has at least 96 bits, so the id cannot be guessed and acts as a capability. */
export function guardianRequestId(request: GuardianRequest): string {
  checkCall('guardianRequestId', [request], ['request'])
  return ofGuardians(request)
}

/** Computes the additional authenticated data of a note: base64url of SHA3-384 over JCS of its header. */
export function prepareHeader(header: NoteHeader): PreparedHeader {
  checkCall('prepareHeader', [header], ['header'])
  return prepared(header)
}
