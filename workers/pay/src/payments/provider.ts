import type { Offer } from '@svc/protocol/pay/offers'
import type { RawSubscription } from './event.ts'

export type ProviderName = 'stripe' | 'local'

/** The order, as fixed in the intent. */
export interface CheckoutOrder {
  readonly intentId: string
  readonly did: string
  readonly offer: Offer
  readonly expiresAt: number
}

/** Returns the current state of a subscription; null if there is none. Throws if it is unknown. */
export interface SubscriptionReader {
  readSubscription(subscriptionId: string): Promise<RawSubscription | null>
}

/**
 * The payment provider. It creates pages and reports their results only with signed events. Every method throws if the
 * provider is unreachable or answers with an error.
 */
export interface PaymentProvider {
  readonly name: ProviderName
  /** A page to pay the order. Idempotent per intent. */
  openCheckout(order: CheckoutOrder): Promise<{ readonly sessionId: string; readonly url: string }>
  /** Closes a page. `complete` if it is too late: the payment was made, or the page has closed. */
  closeCheckout(sessionId: string): Promise<'closed' | 'complete'>
  /** Cancels a subscription at the end of its period, or resumes it. */
  setRenewal(subscriptionId: string, renews: boolean): Promise<'set' | 'ended'>
}
