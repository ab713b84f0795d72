import { didOf, userIdOfKey } from '#protocol/base/identity'
import type { ConsentAct, ConsentRecord } from '#protocol/consent/consent'
import { recordFault } from '#protocol/consent/record-act'
import type { KeyHistory } from '../chain/key-history.ts'
import type { VerificationReason } from '../verification/reasons.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * The newest act: signed by its key, contained in the record, and by a root key of the creator if it says so.
 */
export async function checkRecord(record: ConsentRecord, keys: KeyHistory): Promise<void> {
  const reason = await faultOf(record, keys)
  if (reason)
    throw unverified('consent', reason, 'The record is invalid', { where: { member: 'signed' }, evidence: record })
}

async function faultOf(record: ConsentRecord, keys: KeyHistory): Promise<VerificationReason | null> {
  const { creator_did: creatorDid, public_key_b64u: key, signed } = record
  if (creatorDid === null || key === null || signed === null) return null
  const fault = await recordFault(record)
  if (fault) return fault
  return (await isTheirs(creatorDid, key, signed.signer, keys)) ? null : 'wrong_key'
}

/** That a device acted for the creator is a claim of the service. */
async function isTheirs(
  creatorDid: string,
  key: string,
  signer: ConsentAct['signer'],
  history: KeyHistory,
): Promise<boolean> {
  if (signer.kind === 'device') return true
  if (signer.epoch === 0) return didOf(userIdOfKey(key)) === creatorDid
  const keys = await history.of(creatorDid)
  return keys.some(({ epoch, publicKeyB64u }) => epoch === signer.epoch && publicKeyB64u === key)
}
