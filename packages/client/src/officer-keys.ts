import type { InceptionEvent } from '@svc/protocol/inception'
import type { KeyHistory } from './key-history.ts'

/** Throws unless whoever signed an event as an officer did so with a root key of that DID, current then or later superseded. */
export async function checkOfficerKeys(event: InceptionEvent, keys: KeyHistory): Promise<void> {
  if (!('acceptances' in event)) return
  const signers = [
    ...event.acceptances.map(({ statement, publicKeyB64u }) => ({ did: statement.officerDid, publicKeyB64u })),
    ...('approvals' in event ? event.approvals : []).map((one) => ({ did: one.officerDid, ...one })),
  ]
  for (const { did, publicKeyB64u } of signers) {
    const known = await keys.of(did)
    if (!known.some((key) => key.publicKeyB64u === publicKeyB64u)) throw new Error(`an officer’s key is not of ${did}`)
  }
}
