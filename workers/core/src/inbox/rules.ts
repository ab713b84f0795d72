/**
 * The rules of an inbox: opened → (new code) → delivered or forgotten. A code is valid for ten minutes, a request
 * allows five wrong codes however many were mailed, and delivers its message once. Pure; time is passed in.
 *
 * @module
 */

import { err, ok, type Result } from '@svc/protocol/base/result'
import { MAX_CODE_ATTEMPTS, MAX_CODE_SENDS, MAX_INBOX_MESSAGES, RESEND_DELAY_MS } from '@svc/protocol/inbox/inbox'

/** Requests that count at once for one recipient: open ones, and those delivered in the last 24 hours. */
export const RECIPIENT_LIMIT = 30
export const DELIVERED_COUNTS_MS = 86_400_000

export interface ContactRow {
  readonly requestId: string
  readonly assetId: string
  readonly kemKeyId: string
  /** Null once the message is delivered: it is no longer needed. */
  readonly address: string | null
  readonly codeHash: string
  readonly sentAt: number
  readonly expiresAt: number
  readonly sends: number
  readonly attempts: number
  readonly delivered: { readonly envelopeHash: string; readonly at: number } | null
}

type Wait = { readonly reason: 'rate_limited'; readonly retryAfterSeconds: number }
type Unusable = { readonly reason: 'code_unusable' }
export type OpeningRefusal = Wait | { readonly reason: 'inbox_full' }
export type ResendRefusal = Wait | Unusable | { readonly reason: 'resend_limit' }
export type DeliveryRefusal =
  | Unusable
  | { readonly reason: 'key_agreement_changed' | 'inbox_full' }
  | { readonly reason: 'code_rejected'; readonly attemptsLeft: number }

/** The request, or null if it has expired, which looks the same as if it had never existed. */
export function living(row: ContactRow | null, now: number): ContactRow | null {
  return row && now < row.expiresAt && row.attempts < MAX_CODE_ATTEMPTS ? row : null
}

/**
 * `admissions` are the times until which earlier requests count, ascending: one whose code expires gives its place back.
 * Checks for a full inbox before the sender writes.
 */
export function checkOpening(
  admissions: readonly number[],
  messages: number,
  now: number,
): Result<void, OpeningRefusal> {
  const counted = admissions.filter((until) => until > now)
  const free = counted.at(-RECIPIENT_LIMIT)
  if (free !== undefined) return err({ reason: 'rate_limited', retryAfterSeconds: Math.ceil((free - now) / 1000) })
  return messages < MAX_INBOX_MESSAGES ? ok(undefined) : err({ reason: 'inbox_full' })
}

/** Returns the request, with the address of its next code. */
export function checkResend(
  row: ContactRow | null,
  now: number,
): Result<ContactRow & { readonly address: string }, ResendRefusal> {
  const request = living(row, now)
  const address = request?.address ?? null
  if (!request || address === null) return err({ reason: 'code_unusable' })
  if (request.sends >= MAX_CODE_SENDS) return err({ reason: 'resend_limit' })
  const wait = request.sentAt + RESEND_DELAY_MS - now
  if (wait > 0) return err({ reason: 'rate_limited', retryAfterSeconds: Math.ceil(wait / 1000) })
  return ok({ ...request, address })
}

export interface Presented {
  /** The caller compares in constant time. */
  readonly isCodeRight: boolean
  readonly isSameEnvelope: boolean
  readonly kemKeyId: string
  /** The owner's current key; null if there is none. */
  readonly kemKeyIdInForce: string | null
  /** Number of messages in the inbox. */
  readonly messages: number
}

/**
 * Whether to deliver. `again` is a retry of a delivery whose answer was lost. A replaced key is reported before the
 * code is checked: an envelope sealed to it is never delivered, whatever the code, and uses no attempt.
 */
export function checkDelivery(
  row: ContactRow | null,
  presented: Presented,
  now: number,
): Result<'deliver' | 'again', DeliveryRefusal> {
  const request = living(row, now)
  if (!request) return err({ reason: 'code_unusable' })
  if (request.delivered) {
    return presented.isCodeRight && presented.isSameEnvelope ? ok('again') : err({ reason: 'code_unusable' })
  }
  const isKeyInForce = presented.kemKeyId === request.kemKeyId && presented.kemKeyId === presented.kemKeyIdInForce
  if (!isKeyInForce) return err({ reason: 'key_agreement_changed' })
  if (!presented.isCodeRight) {
    return err({ reason: 'code_rejected', attemptsLeft: MAX_CODE_ATTEMPTS - request.attempts - 1 })
  }
  return presented.messages < MAX_INBOX_MESSAGES ? ok('deliver') : err({ reason: 'inbox_full' })
}
