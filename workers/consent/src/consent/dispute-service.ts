import type { DisputePage } from '@svc/protocol/operator/reads'
import type { Stores } from '../store/client.ts'

const PAGE = 50

/** What waits for the operator. */
export class DisputeService {
  readonly #stores: Pick<Stores, 'disputes'>

  constructor(stores: Pick<Stores, 'disputes'>) {
    this.#stores = stores
  }

  async page(after: string | null): Promise<Pick<DisputePage, 'disputes' | 'next'>> {
    const found = await this.#stores.disputes(after, PAGE + 1)
    const disputes = found.slice(0, PAGE)
    return { disputes, next: found.length > PAGE ? (disputes.at(-1)?.contentHash ?? null) : null }
  }
}
