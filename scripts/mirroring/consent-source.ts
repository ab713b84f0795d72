import type { Transport } from '@svc/client'
import { snapshotPageSchema } from '@svc/protocol/consent/snapshot'
import type { ReadPage } from './snapshot-follower.ts'

/** Consent, as the mirror reads it: snapshots alone. A record is for those who know its identifier, which a mirror does not. */
export function consentSource(transport: Transport, consent: string): ReadPage {
  return (bucket, at, from) => {
    const query = new URLSearchParams({ bucket: String(bucket), at: String(at), ...(from === null ? {} : { from }) })
    const url = `${consent}/api/v1/consent/snapshot?${query.toString()}`
    return transport.json({ method: 'GET', url }, snapshotPageSchema)
  }
}
