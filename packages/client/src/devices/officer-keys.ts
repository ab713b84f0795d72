import type { InceptionEvent } from '#protocol/devices/inception'
import type { KeyHistory } from '../chain/key-history.ts'
import { unverified } from '../verification/verification-error.ts'

/** Throws unless every officer of an event signed with a root key of their DID, whether current or superseded by now. */
export async function checkOfficerKeys(event: InceptionEvent, keys: KeyHistory): Promise<void> {
  if (!('acceptances' in event)) return
  const signers = [
    ...event.acceptances.map(({ statement, publicKeyB64u }) => ({ did: statement.officerDid, publicKeyB64u })),
    ...('approvals' in event ? event.approvals : []).map((one) => ({ did: one.officerDid, ...one })),
  ]
  for (const { did, publicKeyB64u } of signers) {
    const known = await keys.of(did)
    if (!known.some((key) => key.publicKeyB64u === publicKeyB64u))
      throw unverified('roster', 'wrong_key', `An officer’s key does not belong to ${did}`, { evidence: event })
  }
}
