import type { Offer } from '@svc/protocol/offers'
import type { RawSubscription } from './payment-event.ts'

export type ProviderName = 'stripe' | 'local'

/** What is to be paid, as the intent fixed it. */
export interface CheckoutOrder {
  readonly intentId: string
  readonly did: string
  readonly offer: Offer
  readonly expiresAt: number
}

/** Says how a subscription stands at this moment; null where there is none. Throws when nobody can say. */
export interface SubscriptionReader {
  readSubscription(subscriptionId: string): Promise<RawSubscription | null>
}

/**
 * Whoever takes the money. It is asked for pages; what became of them it says by signed events and by nothing else.
 * Every method throws when the provider cannot be reached or does not answer well.
 */
export interface PaymentProvider {
  readonly name: ProviderName
  /** A page on which the order is paid. The same intent again is the same page. */
  openCheckout(order: CheckoutOrder): Promise<{ readonly sessionId: string; readonly url: string }>
  /** Closes a page. `complete` when it is too late: the payment was made, or the page has closed. */
  closeCheckout(sessionId: string): Promise<'closed' | 'complete'>
  /** Ends a subscription with its period, or takes that back. */
  setRenewal(subscriptionId: string, renews: boolean): Promise<'set' | 'ended'>
}
