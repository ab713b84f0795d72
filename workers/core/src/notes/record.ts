import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { userIdOfAsync } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import { verifyStatement } from '@svc/protocol/base/statement'
import { type NoteSubmission, noteAad } from '@svc/protocol/notes/notes'

export type RecordRefusal = {
  readonly reason: 'owner_mismatch' | 'not_eligible' | 'aad_mismatch' | 'hash_mismatch' | 'invalid_signature'
}

/** Faults of a record that has passed its schema, judged by the record alone. */
export async function recordFault(
  { did, userId, publicKeyB64u, device }: Caller,
  { statement, signatureB64u }: Pick<NoteSubmission, 'statement' | 'signatureB64u'>,
  ciphertext: Uint8Array,
  realms: Realms,
): Promise<RecordRefusal | null> {
  const { header, keyId } = statement
  if (statement.did !== did || header.userId !== userId) return { reason: 'owner_mismatch' }
  const signer = device?.publicKeyB64u ?? publicKeyB64u
  // A device can only name itself; the root key may name the software that it acts in.
  const publicKey = bytesOf(signer)
  if (keyId !== (await userIdOfAsync(publicKey)) || (device && header.deviceId !== device.deviceId))
    return { reason: 'not_eligible' }
  if (noteAad(header) !== statement.aadB64u) return { reason: 'aad_mismatch' }
  const isStated =
    ciphertext.length === header.contentLength && (await hashHexAsync(ciphertext)) === statement.cipherHash
  if (!isStated) return { reason: 'hash_mismatch' }
  const isSigned = await verifyStatement({ statement, signatureB64u }, publicKey, realms)
  return isSigned ? null : { reason: 'invalid_signature' }
}
