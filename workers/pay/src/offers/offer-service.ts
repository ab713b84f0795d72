import type { Offer, OfferList } from '@svc/protocol/offers'
import type { OfferStore } from './offer-store.ts'
import { offerListOf, offerOf } from './offers.ts'

/** What is offered where. */
export class OfferService {
  readonly #store: OfferStore

  constructor(store: OfferStore) {
    this.#store = store
  }

  async list(country: string | null): Promise<OfferList> {
    const { entries, region } = await this.#store.catalogue(country)
    return offerListOf(entries, region)
  }

  /** Null when nothing is offered there under that name. */
  async find(sku: string, country: string | null): Promise<Offer | null> {
    const { entries, region } = await this.#store.catalogue(country)
    const entry = entries.find((candidate) => candidate.sku === sku)
    return entry ? offerOf(entry, region) : null
  }
}
