import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Stores } from '../store/client.ts'
import type { SettlementRequest } from '../store/transaction.ts'
import type { RecordCache } from './record-cache.ts'

export type SettlementRefusal = { readonly reason: 'not_found' | 'non_native_consent_record' }

/** Passes identifiers to other creators. The settlement is one transaction of the store. */
export class SettlementService {
  readonly #stores: Stores
  readonly #cache: RecordCache
  readonly #now: () => number

  constructor(stores: Stores, cache: RecordCache, now: () => number) {
    this.#stores = stores
    this.#cache = cache
    this.#now = now
  }

  /** Idempotent. Passing an identifier to the creator who holds it changes nothing. */
  async settle(request: SettlementRequest): Promise<Result<object, SettlementRefusal>> {
    const { contentHash } = request.statement
    // Dated when it is written: a snapshot is final a minute after its hour.
    const record = await this.#stores.settle(request, this.#now())
    // Also after a crash between the write and this.
    await this.#cache.drop(contentHash)
    if (!record) return err({ reason: 'not_found' })
    return record.creatorDid === null ? err({ reason: 'non_native_consent_record' }) : ok({})
  }
}
