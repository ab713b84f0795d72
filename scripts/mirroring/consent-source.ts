import type { Transport } from '@svc/client'
import { consentMissSchema, consentRecordSchema } from '@svc/protocol/consent/consent'
import { snapshotPageSchema } from '@svc/protocol/consent/snapshot'
import { answerSchema } from '@svc/protocol/http/answer-schema'
import * as z from 'zod'
import type { ReadRecord } from './record-follower.ts'
import type { ReadPage } from './snapshot-follower.ts'

const recordOrMiss = answerSchema(z.union([consentRecordSchema, consentMissSchema]))

/** The service of consent, as the mirror reads it. */
export interface ConsentSource {
  readonly page: ReadPage
  readonly record: ReadRecord
}

export function consentSource(transport: Transport, consent: string): ConsentSource {
  const base = `${consent}/api/v1/consent`
  return {
    page: (bucket, at, from) => {
      const query = new URLSearchParams({ bucket: String(bucket), at: String(at), ...(from === null ? {} : { from }) })
      return transport.json({ method: 'GET', url: `${base}/snapshot?${query.toString()}` }, snapshotPageSchema)
    },
    record: async (hash) => {
      const response = await transport.exchange({ method: 'GET', url: `${base}/${encodeURIComponent(hash)}` })
      const answer = recordOrMiss.safeParse(await response.json().catch(() => null))
      // An outage, or a limit.
      if (!answer.success) throw new Error(`Consent answered with ${response.status}`)
      return answer.data.found ? answer.data : null
    },
  }
}
