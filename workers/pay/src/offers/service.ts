import type { Offer, OfferList } from '@svc/protocol/pay/offers'
import { offerListOf, offerOf } from './rules.ts'
import type { OfferStore } from './store.ts'

/** What is offered in which country. */
export class OfferService {
  readonly #store: OfferStore
  readonly #contact: string

  constructor(store: OfferStore, contact: string) {
    this.#store = store
    this.#contact = contact
  }

  async list(country: string | null): Promise<OfferList> {
    const { entries, region } = await this.#store.catalogue(country)
    return offerListOf(entries, region, this.#contact)
  }

  /** Null if nothing is offered there under that name. */
  async find(sku: string, country: string | null): Promise<Offer | null> {
    const { entries, region } = await this.#store.catalogue(country)
    const entry = entries.find((candidate) => candidate.sku === sku)
    return entry ? offerOf(entry, region) : null
  }
}
