import type { Offer } from '@svc/protocol/pay/offers'
import type { PaymentState, RawSubscription, UnreadNews } from './news.ts'

export type ProviderName = 'stripe' | 'local'

/** The order, as fixed in the intent. */
export interface CheckoutOrder {
  readonly intentId: string
  readonly did: string
  readonly offer: Offer
  readonly expiresAt: number
}

export interface PlanOrder {
  readonly offer: Offer
  /** A lower tier: at the same interval it starts with the next period, and nothing is charged before. */
  readonly isLower: boolean
}

/**
 * How things stand at the provider now; null for what does not exist or is not ours. Throws if the provider is unreachable
 * or answers with an error.
 */
export interface PaymentReader {
  /** Null also from a provider that keeps no state: then the event counts. */
  readSubscription(subscriptionId: string): Promise<RawSubscription | UnreadNews | null>
  /** `seen` is the object of the event that is the reason to ask. */
  readPayment(chargeId: string, seen: unknown): Promise<PaymentState | UnreadNews | null>
}

export interface EventPage {
  /** Newest first, as the provider sends them to the webhook. */
  readonly events: readonly unknown[]
  /** `after` for the next page; null on the last. */
  readonly next: string | null
}

/** The provider's own list of what happened. Throws if the provider is unreachable or answers with an error. */
export interface EventLister {
  /** One page of the events of a time, `until` not included. */
  listEvents(span: { readonly from: number; readonly until: number }, after: string | null): Promise<EventPage>
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
  /** Changes what a subscription is for. `refused` if the payment fails or the provider cannot make this change. */
  changePlan(subscriptionId: string, change: PlanOrder): Promise<'changed' | 'refused'>
}
