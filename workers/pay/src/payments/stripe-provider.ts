import { Stripe } from 'stripe'
import { type RawSubscription, subscriptionNews } from './event.ts'
import type { CheckoutOrder, PaymentProvider, SubscriptionReader } from './provider.ts'
import { stripeAmountOf } from './stripe-amount.ts'

/** The payer's client is waiting, so the request must time out. */
const TIMEOUT_MS = 10_000

export interface StripeOptions {
  readonly secretKey: string
  /** Where payers return; the intent's id is added as `intent`. */
  readonly returnUrl: string
  readonly fetch: typeof fetch
}

/** Stripe, with its own package over `fetch`. Prices are sent with each order: nothing has to be set up there. */
export class StripeProvider implements PaymentProvider, SubscriptionReader {
  readonly name = 'stripe'
  readonly #stripe: Stripe
  readonly #returnUrl: string

  constructor({ secretKey, returnUrl, fetch }: StripeOptions) {
    this.#stripe = new Stripe(secretKey, {
      httpClient: Stripe.createFetchHttpClient(fetch),
      // The caller retries with the same key, and so does this one.
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MS,
      telemetry: false,
    })
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
    const outcome = await this.#unlessRefused(this.#stripe.checkout.sessions.expire(sessionId))
    return outcome ? 'closed' : 'complete'
  }

  async setRenewal(subscriptionId: string, renews: boolean): Promise<'set' | 'ended'> {
    const change = { cancel_at_period_end: !renews }
    const outcome = await this.#unlessRefused(this.#stripe.subscriptions.update(subscriptionId, change))
    return outcome ? 'set' : 'ended'
  }

  async readSubscription(subscriptionId: string): Promise<RawSubscription | null> {
    return subscriptionNews(await this.#unlessRefused(this.#stripe.subscriptions.retrieve(subscriptionId)))
  }

  /** Null if Stripe reports that the object is in the wrong state; any other failure is thrown. */
  async #unlessRefused<T>(call: Promise<T>): Promise<T | null> {
    try {
      return await call
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return null
      throw error
    }
  }
}
