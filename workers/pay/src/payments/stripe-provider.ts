import type { Offer } from '@svc/protocol/pay/offers'
import type { Stripe } from 'stripe'
import type { CheckoutOrder, PaymentProvider, PlanOrder } from './provider.ts'
import { stripeAmountOf } from './stripe-amount.ts'
import { unlessDeclined, unlessRefused } from './stripe-client.ts'

/** Pages and renewals at Stripe. Prices are sent with each order: nothing has to be set up there. */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe'
  readonly #stripe: Stripe
  readonly #returnUrl: string

  /** Payers return to `returnUrl`; the intent's id is added as `intent`. */
  constructor(stripe: Stripe, returnUrl: string) {
    this.#stripe = stripe
    this.#returnUrl = returnUrl
  }

  async openCheckout({ intentId, did, offer, expiresAt }: CheckoutOrder): Promise<{ sessionId: string; url: string }> {
    const { price, interval, kind, sku, display } = offer
    if (!price || !interval) throw new Error('an offer without a price has no page')
    const metadata = { did, sku, intent: intentId }
    const product = {
      currency: price.currency.toLowerCase(),
      unit_amount: stripeAmountOf(price.amount_minor, price.currency),
      product_data: { name: display, metadata: { sku } },
    }
    const back = `${this.#returnUrl}${this.#returnUrl.includes('?') ? '&' : '?'}intent=${intentId}`
    const common = {
      client_reference_id: intentId,
      metadata,
      expires_at: Math.floor(expiresAt / 1000),
      success_url: `${back}&outcome=success`,
      cancel_url: `${back}&outcome=cancel`,
    }
    const session = await this.#stripe.checkout.sessions.create(
      kind === 'subscription'
        ? {
            ...common,
            mode: 'subscription',
            line_items: [{ quantity: 1, price_data: { ...product, recurring: { interval } } }],
            subscription_data: { metadata },
          }
        : {
            ...common,
            mode: 'payment',
            line_items: [{ quantity: 1, price_data: product }],
            payment_intent_data: { metadata },
          },
      { idempotencyKey: `intent-${intentId}` },
    )
    if (!session.url) throw new Error('the provider gave no page')
    return { sessionId: session.id, url: session.url }
  }

  async closeCheckout(sessionId: string): Promise<'closed' | 'complete'> {
    const outcome = await unlessRefused(this.#stripe.checkout.sessions.expire(sessionId))
    return outcome ? 'closed' : 'complete'
  }

  async setRenewal(subscriptionId: string, renews: boolean): Promise<'set' | 'ended'> {
    const change = { cancel_at_period_end: !renews }
    const outcome = await unlessRefused(this.#stripe.subscriptions.update(subscriptionId, change))
    return outcome ? 'set' : 'ended'
  }

  /** The new price is charged at once and the old one credited, unless the tier is lower: then nothing is charged. */
  async changePlan(subscriptionId: string, { offer, isLower }: PlanOrder): Promise<'changed' | 'refused'> {
    const { price, interval, sku } = offer
    if (!price || !interval) throw new Error('an offer without a price cannot be subscribed')
    const subscription = await unlessRefused(this.#stripe.subscriptions.retrieve(subscriptionId))
    const [item] = subscription?.items.data ?? []
    if (!item) return 'refused'
    // Another interval begins a new period now, so the old one is credited.
    const isLater = isLower && item.price.recurring?.interval === interval
    const product = await this.#productOf(offer)
    const changed = await unlessDeclined(
      this.#stripe.subscriptions.update(subscriptionId, {
        items: [
          {
            id: item.id,
            price_data: {
              currency: price.currency.toLowerCase(),
              unit_amount: stripeAmountOf(price.amount_minor, price.currency),
              product,
              recurring: { interval },
            },
          },
        ],
        metadata: { sku },
        proration_behavior: isLater ? 'none' : 'always_invoice',
        payment_behavior: 'error_if_incomplete',
      }),
    )
    return changed ? 'changed' : 'refused'
  }

  /** A change of price needs a product that exists: one for each SKU, made with the first change. */
  async #productOf({ sku, display }: Offer): Promise<string> {
    const id = `svc_${sku}`
    const known = await unlessRefused(this.#stripe.products.retrieve(id))
    if (!known) await unlessRefused(this.#stripe.products.create({ id, name: display, metadata: { sku } }))
    return id
  }
}
