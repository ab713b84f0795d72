import { bytesOf } from '#protocol/base/base64url'
import { userIdOfKey } from '#protocol/base/identity'
import type { Realms } from '#protocol/base/realm'
import { type Signed, verifyStatement } from '#protocol/base/statement'
import type { AttestDevice } from '#protocol/devices/inception'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import { unverified } from '../verification/verification-error.ts'
import type { Means } from './means.ts'

/** The keys that may have signed notes of an identity, by their userId: none without somebody to ask for its root keys. */
export async function noteKeysOf(
  did: string,
  devices: readonly AttestDevice[],
  realms: Realms,
  { client }: Means,
): Promise<Map<string, string>> {
  const roots = client ? (await client.keyHistory.of(did)).map(({ publicKeyB64u }) => publicKeyB64u) : []
  const keys = new Map(roots.map((key) => [userIdOfKey(key), key]))
  if (!client) return keys
  for (const attestation of devices) {
    const signed = await Promise.all(roots.map((root) => verifyEventSignatures(attestation, bytesOf(root), realms)))
    if (attestation.statement.did !== did || !signed.includes(true))
      throw unverified('device', 'wrong_identity', 'A device in the archive does not belong to this identity')
    const { devicePublicKeyB64u: key } = attestation.statement
    keys.set(userIdOfKey(key), key)
  }
  return keys
}

/** How many versions are signed by a key that is not known. */
export async function verifyRecords(
  records: readonly Signed<{ readonly keyId: string }>[],
  keys: ReadonlyMap<string, string>,
  realms: Realms,
): Promise<number> {
  let unknown = 0
  for (const { statement, signatureB64u } of records) {
    const key = keys.get(statement.keyId)
    if (key === undefined) unknown += 1
    else if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(key), realms)))
      throw unverified('note', 'invalid_signature', 'The signature of a note is invalid')
  }
  return unknown
}
