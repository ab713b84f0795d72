/** One record as it goes over the wire: its bytes are made once and kept, so that their ETag holds. */
import { type ConsentRecord, missOf } from '@svc/protocol/consent'
import { usageOf } from '@svc/protocol/consent-projection'
import { hashTextHex } from '@svc/protocol/hash'

/** Document 2 section 4.2. */
const HIT_SECONDS = 300
export const MISS_SECONDS = 60

export interface ReadAnswer {
  readonly status: 200 | 404
  readonly body: string
  /** Null on a miss: there is nothing to compare with. */
  readonly etag: string | null
  /** The value of `X-Svc-Consent`; null on a miss, '' where the record declares nothing that has a token. */
  readonly usage: string | null
  readonly maxAgeSeconds: number
  /** When it was read from the database. Whoever keeps it may do so until `maxAgeSeconds` after that, and no longer. */
  readonly readAt: number
}

/** 128 bits: nobody meets another body under one tag. */
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
