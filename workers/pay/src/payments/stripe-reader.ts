import { intentIdSchema } from '@svc/protocol/pay/intents'
import type { Stripe } from 'stripe'
import { type PaidFor, type PaymentState, type RawSubscription, type UnreadNews, unread } from './news.ts'
import type { EventLister, EventPage, PaymentReader } from './provider.ts'
import { unlessRefused } from './stripe-client.ts'
import { subscriptionInvoiceOf } from './stripe-invoice.ts'
import { isOurs } from './stripe-shapes.ts'
import { subscriptionNews } from './stripe-subscription.ts'

/** In these states of a dispute the money is back with us, or never left. */
const STANDING: ReadonlySet<string> = new Set([
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
])
const GONE: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost'])

/** Asks Stripe how a subscription or a payment stands now. Answers are in the API version of its package. */
export class StripeReader implements PaymentReader, EventLister {
  readonly #stripe: Stripe

  constructor(stripe: Stripe) {
    this.#stripe = stripe
  }

  async readSubscription(subscriptionId: string): Promise<RawSubscription | UnreadNews | null> {
    const expand = { expand: ['latest_invoice'] }
    return subscriptionNews(await unlessRefused(this.#stripe.subscriptions.retrieve(subscriptionId, expand)))
  }

  async listEvents(
    { from, until }: { readonly from: number; readonly until: number },
    after: string | null,
  ): Promise<EventPage> {
    const created = { gte: Math.floor(from / 1000), lt: Math.floor(until / 1000) }
    const begins = after === null ? {} : { starting_after: after }
    const { data, has_more } = await this.#stripe.events.list({ created, limit: 100, ...begins })
    return { events: data, next: has_more ? (data.at(-1)?.id ?? null) : null }
  }

  async readPayment(chargeId: string): Promise<PaymentState | UnreadNews | null> {
    const charge = await unlessRefused(this.#stripe.charges.retrieve(chargeId))
    if (!charge) return null
    const paid = await this.#paidFor(charge)
    if (!paid || 'about' in paid) return paid
    const dispute = charge.disputed ? await this.#disputeOf(chargeId) : 'none'
    if (dispute === 'unknown') return unread('dispute: unknown status')
    const isRefunded = charge.refunded && !paid.isProration
    const reversed = dispute === 'gone' ? 'disputed' : isRefunded ? 'refunded' : null
    return { about: 'payment', paymentId: chargeId, paidFor: paid.paidFor, reversed }
  }

  /** A single payment names its intent. The payment of an invoice carries no metadata, and its invoice is asked for. */
  async #paidFor(charge: Stripe.Charge): Promise<{ paidFor: PaidFor; isProration: boolean } | UnreadNews | null> {
    if (isOurs(charge)) {
      const intentId = intentIdSchema.safeParse(charge.metadata['intent']).data
      return intentId === undefined ? unread('charge: metadata.intent') : { paidFor: { intentId }, isProration: false }
    }
    const found = await this.#invoiceOf(charge)
    const invoice = found && subscriptionInvoiceOf(found)
    if (!invoice || 'about' in invoice) return invoice
    const { subscriptionId, period, isProration } = invoice
    return period ? { paidFor: { subscriptionId, ...period }, isProration } : unread('invoice: no period')
  }

  async #invoiceOf({ payment_intent }: Stripe.Charge): Promise<Stripe.Invoice | null> {
    const intent = typeof payment_intent === 'string' ? payment_intent : payment_intent?.id
    if (intent === undefined) return null
    const payment = { type: 'payment_intent', payment_intent: intent } as const
    const { data } = await this.#stripe.invoicePayments.list({ payment, limit: 1 })
    const id = typeof data[0]?.invoice === 'string' ? data[0].invoice : data[0]?.invoice.id
    return id === undefined ? null : unlessRefused(this.#stripe.invoices.retrieve(id))
  }

  async #disputeOf(charge: string): Promise<'none' | 'gone' | 'unknown'> {
    const { data } = await this.#stripe.disputes.list({ charge, limit: 100 })
    if (data.some(({ status }) => GONE.has(status))) return 'gone'
    return data.every(({ status }) => STANDING.has(status)) ? 'none' : 'unknown'
  }
}
