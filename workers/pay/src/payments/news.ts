/**
 * What the provider's events and answers say, in the terms of this service.
 *
 * @module
 */
import type { Reversed } from '@svc/protocol/pay/entitlements'

/** The checkout page of an intent has finished. */
export interface CheckoutNews {
  readonly about: 'checkout'
  readonly intentId: string
  readonly sessionId: string
  readonly state: 'paid' | 'failed' | 'expired'
  /** The subscription that it began. */
  readonly subscriptionId: string | null
  /** Whether our metadata says so too: then it must be a page of an intent that we know. */
  readonly isOurs: boolean
}

/** A subscription at a time, with the name of its offer. */
export interface RawSubscription {
  readonly about: 'subscription'
  readonly subscriptionId: string
  readonly did: string
  readonly sku: string
  readonly status: 'pending' | 'active' | 'paused' | 'past_due' | 'ended'
  readonly periodStart: number
  readonly periodEnd: number
  readonly renews: boolean
  /** While it is paused: until when it was paid. */
  readonly pausedFrom: number | null
  readonly endedAt: number | null
  /** It is paused, and whether this period was paid is not said: the provider must be asked. */
  readonly isOpen: boolean
}

/** Something about a subscription changed, which its invoice tells: the provider is asked how it stands. */
export interface InvoiceNews {
  readonly about: 'invoice'
  readonly subscriptionId: string
}

/** Money of a payment went back, or may: the provider is asked how the payment stands. */
export interface RefundNews {
  readonly about: 'refund'
  readonly chargeId: string
  /** The object of the event, for a provider that cannot be asked. */
  readonly seen: unknown
}

/** It carries our metadata, and cannot be understood. */
export interface UnreadNews {
  readonly about: 'unread'
  /** Names members and never their values. */
  readonly reason: string
}

export const unread = (reason: string): UnreadNews => ({ about: 'unread', reason })

export type News = CheckoutNews | RawSubscription | InvoiceNews | RefundNews | UnreadNews

/** What a payment had paid for. */
export type PaidFor =
  | { readonly intentId: string }
  | { readonly subscriptionId: string; readonly from: number; readonly until: number }

/** How a payment stands. */
export interface PaymentState {
  readonly about: 'payment'
  readonly paymentId: string
  readonly paidFor: PaidFor
  readonly reversed: Reversed | null
}

export interface PaymentEvent {
  readonly id: string
  readonly type: string
  /** When it happened, epoch ms; the provider dates to the second. */
  readonly occurredAt: number
  /** Null for an event that this service does not use, or that is about something else. */
  readonly news: News | null
  /** The event as it came: kept if it is not understood. */
  readonly payload: unknown
}
