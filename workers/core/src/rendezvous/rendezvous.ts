/**
 * The law of an offer: open → joined → delivered → gone. Pairing and the authorization relay are the same machine; what
 * they deliver differs. Pure; time is passed in.
 *
 * @module
 */
import type { JoinRequest, OfferStatus } from '@svc/protocol/rendezvous'
import { MAX_WRONG_TOKENS } from '@svc/protocol/rendezvous'
import { err, ok, type Result } from '@svc/protocol/result'
import { statementHash } from '@svc/protocol/statement'
import type { Flow } from './offer-code.ts'

export interface OfferRow {
  readonly flow: Flow
  readonly did: string
  readonly tokenHash: string
  readonly status: OfferStatus
  readonly expiresAt: number
  readonly wrongTokens: number
  readonly request: JoinRequest | null
}

export type OfferRefusal =
  | { readonly reason: 'not_found' | 'token_rejected' | 'owner_mismatch' }
  | { readonly reason: 'offer_state'; readonly status: OfferStatus }

/** An offer that is over, or of the other flow, is none. */
export function living(row: OfferRow | null, flow: Flow, now: number): OfferRow | null {
  return row && row.flow === flow && now < row.expiresAt ? row : null
}

/** Whether one more wrong token closes the offer. */
export function closesOn(wrongTokens: number): boolean {
  return wrongTokens >= MAX_WRONG_TOKENS
}

/**
 * A device joins once; that it asks for the same again is the retry of a device whose answer was lost. It signs anew,
 * so only the time and the signature may differ. What it bound first stands.
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

/** Something is delivered once, to a device that has joined. */
export function checkDelivery(row: OfferRow): Result<void, OfferRefusal> {
  return row.status === 'joined' ? ok(undefined) : err({ reason: 'offer_state', status: row.status })
}

export function checkConsumption(row: OfferRow): Result<void, OfferRefusal> {
  return row.status === 'delivered' ? ok(undefined) : err({ reason: 'offer_state', status: row.status })
}
