/**
 * The law of payment intents: which state may follow which, and how long a payment page stays open.
 *
 * @module
 */
import type { IntentState } from '@svc/protocol/intents'

/**
 * A page stays open for 23 hours from the intent. Providers take at most 24 from when the page is made, and it is made
 * within an hour of the intent or not at all.
 */
export const INTENT_LIFETIME_MS = 23 * 3_600_000
const OPENING_MS = 3_600_000
/** How long an intent that nobody paid is kept beyond its page: debits take days, and a retry knows it by its key. */
export const UNPAID_KEPT_MS = 90 * 86_400_000
/** Enough for somebody who cannot decide; each holds a page at the provider. */
export const MAX_OPEN_INTENTS = 20

/**
 * Whether a provider's word moves an intent. Money that came in is never overlooked, whatever was said before;
 * everything else ends only what is open.
 */
export function mayBecome(from: IntentState, to: IntentState): boolean {
  if (to === 'paid') return from !== 'paid'
  return from === 'open' && to !== 'open'
}

/** The state as it is told: an open intent whose page has closed has expired, though no event has said so yet. */
export function stateAt(state: IntentState, expiresAt: number, now: number): IntentState {
  return state === 'open' && expiresAt <= now ? 'expired' : state
}

/** Whether the provider may still be asked for a page. */
export function mayOpen(createdAt: number, now: number): boolean {
  return now < createdAt + OPENING_MS
}
