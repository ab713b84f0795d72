/**
 * The rules of payment intents: which state may follow which, and how long a payment page stays open.
 *
 * @module
 */
import type { IntentState } from '@svc/protocol/pay/intents'

/**
 * A page stays open for 23 hours after the intent. Providers allow at most 24 from when the page is created, and it is
 * created within an hour of the intent or not at all.
 */
export const INTENT_LIFETIME_MS = 23 * 3_600_000
const OPENING_MS = 3_600_000
/** How long an unpaid intent is kept after its page closes: debits take days, and a retry finds it by its key. */
export const UNPAID_KEPT_MS = 90 * 86_400_000
/** Enough for an undecided person; each holds a page at the provider. */
export const MAX_OPEN_INTENTS = 20
/**
 * Requests of an identity in 24 hours, retries included. Open intents are limited, but closed ones make room for others:
 * without this, one identity could have us make pages at the provider at the rate of its tier, 288,000 a day.
 */
export const MAX_REQUESTS_PER_DAY = 100

/**
 * Whether a provider's event moves an intent. Received money always counts, whatever came before; anything else only ends
 * an open intent.
 */
export function mayBecome(from: IntentState, to: IntentState): boolean {
  if (to === 'paid') return from !== 'paid'
  return from === 'open' && to !== 'open'
}

/** The state to report: an open intent whose page has closed has expired, even before an event says so. */
export function stateAt(state: IntentState, expiresAt: number, now: number): IntentState {
  return state === 'open' && expiresAt <= now ? 'expired' : state
}

/** Whether the provider may still be asked for a page. */
export function mayOpen(createdAt: number, now: number): boolean {
  return now < createdAt + OPENING_MS
}
