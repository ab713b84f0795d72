import type { Stripe } from 'stripe'
import type { CheckoutOrder, PaymentProvider } from './provider.ts'
import { stripeAmountOf } from './stripe-amount.ts'
import { unlessRefused } from './stripe-client.ts'

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
}
