/**
 * The rules of an offer: open → joined → delivered → gone. Pairing and the authorization relay share this state
 * machine; they differ in what they deliver. Pure; time is passed in.
 *
 * @module
 */

import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHash } from '@svc/protocol/base/statement'
import type { JoinRequest, OfferStatus } from '@svc/protocol/devices/rendezvous'
import { MAX_QUESTIONS, MAX_WRONG_TOKENS, QUESTIONS_WINDOW_MS } from '@svc/protocol/devices/rendezvous'
import type { Flow } from './offer-code.ts'

export interface OfferRow {
  readonly flow: Flow
  readonly did: string
  readonly tokenHash: string
  /** Of the offering side, for the device that joins; null if it gave none. */
  readonly proof: string | null
  readonly status: OfferStatus
  readonly expiresAt: number
  readonly wrongTokens: number
  readonly request: JoinRequest | null
}

export type OfferRefusal =
  | { readonly reason: 'not_found' | 'token_rejected' | 'owner_mismatch' }
  | { readonly reason: 'offer_state'; readonly status: OfferStatus }
  | { readonly reason: 'rate_limited'; readonly retryAfterSeconds: number }

/** The offer, or null if it has expired or belongs to the other flow. */
export function living(row: OfferRow | null, flow: Flow, now: number): OfferRow | null {
  return row && row.flow === flow && now < row.expiresAt ? row : null
}

/** Whether one more wrong token closes the offer. */
export function closesOn(wrongTokens: number): boolean {
  return wrongTokens >= MAX_WRONG_TOKENS
}

/**
 * The times of the questions of one side, with this one, or how long it has to wait. A refused question does not count, so
 * a side that asks too often is served at the rate that is allowed.
 */
export function checkQuestion(asked: readonly number[], now: number): Result<readonly number[], OfferRefusal> {
  const recent = asked.filter((time) => now - time < QUESTIONS_WINDOW_MS)
  const [first = now] = recent
  if (recent.length < MAX_QUESTIONS) return ok([...recent, now])
  return err({ reason: 'rate_limited', retryAfterSeconds: Math.ceil((first + QUESTIONS_WINDOW_MS - now) / 1000) })
}

/**
 * A device joins once. A repeated request is a retry after a lost answer: the device signs anew, so only time
 * and signature may differ. The first binding stays.
 */
export function checkJoin(row: OfferRow, request: JoinRequest): Result<'join' | 'again', OfferRefusal> {
  if (request.acceptance.statement.did !== row.did) return err({ reason: 'owner_mismatch' })
  if (row.status === 'open') return ok('join')
  const same = row.request && wishOf(row.request) === wishOf(request)
  return same ? ok('again') : err({ reason: 'offer_state', status: row.status })
}

function wishOf({ acceptance }: JoinRequest): string {
  return statementHash({ ...acceptance.statement, issuedAt: 0 })
}

/** A result is delivered once, to a device that has joined. */
export function checkDelivery(row: OfferRow): Result<void, OfferRefusal> {
  return row.status === 'joined' ? ok(undefined) : err({ reason: 'offer_state', status: row.status })
}

export function checkConsumption(row: OfferRow): Result<void, OfferRefusal> {
  return row.status === 'delivered' ? ok(undefined) : err({ reason: 'offer_state', status: row.status })
}
