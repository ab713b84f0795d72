import { bytesOf } from '#protocol/base/base64url'
import { userIdOfKey } from '#protocol/base/identity'
import type { Realms } from '#protocol/base/realm'
import { type Signed, verifyStatement } from '#protocol/base/statement'
import type { AttestDevice } from '#protocol/devices/inception'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import type { ExportedChange } from '#protocol/notes/log'
import { endOfRoot, type RootKeys } from '../chain/root-keys.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Verdict } from './verdict/verdict.ts'

/** Returns the keys that may have signed notes of an identity, by userId. Empty without its root keys. */
export async function noteKeysOf(
  did: string,
  devices: readonly AttestDevice[],
  realms: Realms,
  roots: RootKeys | null,
): Promise<Map<string, string>> {
  const keys = new Map(roots?.map(({ userId, publicKeyB64u }) => [userId, publicKeyB64u]))
  if (!roots) return keys
  for (const attestation of devices) {
    const signed = await Promise.all(
      roots.map((root) => verifyEventSignatures(attestation, bytesOf(root.publicKeyB64u), realms)),
    )
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

/**
 * Returns the state of the keys that signed the versions: `superseded` if one of them is. The log of the vault, which the
 * service signed for this realm, has the time at which the vault accepted each version. It accepts none after the end of
 * the key. Only the owner of a device can tell its state.
 */
export function noteSigningOf(
  entries: readonly ExportedChange[],
  roots: RootKeys | null,
  realm: string | null,
): Pick<Verdict, 'signer' | 'order'> {
  const versions = entries.flatMap(({ record, acceptedAt }) => (record ? [{ ...record.statement, acceptedAt }] : []))
  const known = versions.flatMap((version) => {
    const root = version.realm === realm ? roots?.find(({ userId }) => userId === version.keyId) : undefined
    return roots && root ? [{ ...version, end: endOfRoot(roots, root.epoch) }] : []
  })
  const late = known.find(({ acceptedAt, end }) => end !== null && acceptedAt > end)
  if (late)
    throw unverified('note', 'unordered', 'The vault accepted it after its key was replaced', { evidence: late.header })
  const isWhole = known.length === versions.length
  const isEnded = known.some(({ end }) => end !== null)
  return { signer: isEnded ? 'superseded' : isWhole ? 'active' : null, order: isWhole ? 'log' : 'unknown' }
}
