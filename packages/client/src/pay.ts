import { type Intent, intentSchema } from '@svc/protocol/intents'
import { type Offer, type OfferList, offerListSchema, offerSchema } from '@svc/protocol/offers'
import { randomId } from './random-id.ts'
import type { Transport } from './transport.ts'

/** Offers and payments (document 2 section 4.6). Reading offers needs no identity. */
export class Pay {
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, pay: string) {
    this.#transport = transport
    this.#base = `${pay}/pay`
  }

  /** Everything that is offered, at the prices of a country: ISO 3166-1 alpha-2, or where the caller is. */
  offers(country?: string): Promise<OfferList> {
    const url = `${this.#base}/offer${queryOf(country)}`
    return this.#transport.data({ method: 'GET', url }, offerListSchema)
  }

  async offer(sku: string, country?: string): Promise<Offer> {
    const url = `${this.#base}/offer/${encodeURIComponent(sku)}${queryOf(country)}`
    const offer = await this.#transport.data({ method: 'GET', url }, offerSchema)
    if (offer.sku !== sku) throw new Error('pay answered for another offer')
    return offer
  }

  /**
   * Begins to pay; `checkoutUrl` is where the payer goes. The same key again is the same intent: keep it to try again
   * when an answer was lost.
   */
  async intent(sku: string, options: { readonly country?: string; readonly key?: string } = {}): Promise<Intent> {
    const { country, key = randomId() } = options
    const body = { sku, ...(country === undefined ? {} : { country }) }
    const headers = { 'idempotency-key': key }
    const call = { method: 'POST', url: `${this.#base}/intent`, audience: 'provenance', body, headers } as const
    const intent = await this.#transport.data(call, intentSchema)
    if (intent.offer.sku !== sku) throw new Error('pay answered for another offer')
    return intent
  }

  /** How a payment stands. */
  readIntent(id: string): Promise<Intent> {
    const call = {
      method: 'GET',
      url: `${this.#base}/intent/${encodeURIComponent(id)}`,
      audience: 'provenance',
    } as const
    return this.#transport.data(call, intentSchema)
  }

  /** Closes the payment page; what is paid is not cancelled. */
  cancel(id: string): Promise<Intent> {
    const url = `${this.#base}/intent/${encodeURIComponent(id)}/cancel`
    return this.#transport.data({ method: 'POST', url, audience: 'provenance' }, intentSchema)
  }
}

function queryOf(country: string | undefined): string {
  return country === undefined ? '' : `?country=${encodeURIComponent(country)}`
}
