import { type Intent, intentSchema } from '#protocol/pay/intents'
import { type Offer, type OfferList, offerListSchema, offerSchema } from '#protocol/pay/offers'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** Offers and payments. Reading offers needs no identity. */
export class Pay {
  // As results: see `safely`.
  readonly safeOffer = safeTwin(this, 'offer')

  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, pay: string) {
    this.#transport = transport
    this.#base = `${pay}/pay`
  }

  /** All offers, at the prices of a country (ISO 3166-1 alpha-2); defaults to the caller's. */
  offers(country?: string): Promise<OfferList> {
    const url = `${this.#base}/offer${queryOf(country)}`
    return this.#transport.data({ method: 'GET', url }, offerListSchema)
  }

  async offer(sku: string, country?: string): Promise<Offer> {
    const url = `${this.#base}/offer/${encodeURIComponent(sku)}${queryOf(country)}`
    const offer = await this.#transport.data({ method: 'GET', url }, offerSchema)
    if (offer.sku !== sku) throw unverified('offering', 'different_answer', 'Pay answered for a different offer')
    return offer
  }

  /**
   * Starts a payment; send the payer to `checkoutUrl`. Idempotent per key: keep it to retry after a lost answer.
   */
  async intent(sku: string, options: { readonly country?: string; readonly key?: string } = {}): Promise<Intent> {
    const { country, key = randomId() } = options
    const body = { sku, ...(country === undefined ? {} : { country }) }
    const headers = { 'idempotency-key': key }
    const call = { method: 'POST', url: `${this.#base}/intent`, audience: 'provenance', body, headers } as const
    const intent = await this.#transport.data(call, intentSchema)
    if (intent.offer.sku !== sku) throw unverified('offering', 'different_answer', 'Pay answered for a different offer')
    return intent
  }

  /** The status of a payment. */
  readIntent(id: string): Promise<Intent> {
    const call = {
      method: 'GET',
      url: `${this.#base}/intent/${encodeURIComponent(id)}`,
      audience: 'provenance',
    } as const
    return this.#transport.data(call, intentSchema)
  }

  /** Closes the payment page; does not cancel a completed payment. */
  cancel(id: string): Promise<Intent> {
    const url = `${this.#base}/intent/${encodeURIComponent(id)}/cancel`
    return this.#transport.data({ method: 'POST', url, audience: 'provenance' }, intentSchema)
  }
}

function queryOf(country: string | undefined): string {
  return country === undefined ? '' : `?country=${encodeURIComponent(country)}`
}
