/**
 * Whether a record has what its newest act says, and the act is signed by the key that the record names. It does not tell
 * whose key that is, or whether the act is still the newest: a snapshot does.
 *
 * @module
 */
import { type ConsentRecord, type Preferences, verifyConsent } from './consent.ts'
import { messageOf } from './history.ts'

/** Null for a sound record, and for one without an owner or an act: nothing signs it. */
export async function recordFault(record: ConsentRecord): Promise<'mismatch' | 'invalid_signature' | null> {
  const { hash, creator_did: creatorDid, public_key_b64u: key, preferences, signed } = record
  if (creatorDid === null || key === null || signed === null) return null
  const isContained = Object.entries(signed.preferences ?? {}).every(
    ([name, value]) => preferences[name as keyof Preferences] === value,
  )
  if (!isContained) return 'mismatch'
  const isSigned = await verifyConsent(messageOf(hash, creatorDid, signed), key, signed.signature_b64u)
  return isSigned ? null : 'invalid_signature'
}
