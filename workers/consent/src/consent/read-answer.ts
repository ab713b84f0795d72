/** One record as sent: its bytes are serialized once and cached, so that their ETag is stable. */

import { hashTextHex } from '@svc/protocol/base/hash'
import { type ConsentRecord, missOf } from '@svc/protocol/consent/consent'
import { usageOf } from '@svc/protocol/consent/projection'

/** How long a record, and a miss, may be cached. */
const HIT_SECONDS = 300
export const MISS_SECONDS = 60

export interface ReadAnswer {
  readonly status: 200 | 404
  readonly body: string
  /** Null on a miss: there is nothing to compare with. */
  readonly etag: string | null
  /** The value of `X-Svc-Consent`; null on a miss, '' if the record declares nothing that has a token. */
  readonly usage: string | null
  readonly maxAgeSeconds: number
  /** When it was read from the database. Caches may use it until `maxAgeSeconds` after that, and no longer. */
  readonly readAt: number
}

/** 128 bits: no two bodies share a tag. */
export function etagOf(body: string): string {
  return `"${hashTextHex(body).slice(0, 32)}"`
}

export function recordAnswer(record: ConsentRecord, now: number): ReadAnswer {
  const body = JSON.stringify(record)
  return {
    status: 200,
    body,
    etag: etagOf(body),
    usage: usageOf(record.preferences),
    maxAgeSeconds: HIT_SECONDS,
    readAt: now,
  }
}

export function missAnswer(hash: string, now: number): ReadAnswer {
  const body = JSON.stringify(missOf(hash))
  return { status: 404, body, etag: null, usage: null, maxAgeSeconds: MISS_SECONDS, readAt: now }
}

export function isFresh({ readAt, maxAgeSeconds }: ReadAnswer, now: number): boolean {
  return now >= readAt && now < readAt + maxAgeSeconds * 1000
}
