import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedConsentSettle } from '@svc/protocol/consent/settlement'
import type { RecordCache } from './record-cache.ts'
import type { ConsentStore } from './store.ts'

export type SettlementRefusal = { readonly reason: 'not_found' | 'non_native_consent_record' }

export interface SettlementRequest extends SignedConsentSettle {
  /** The operator's key. */
  readonly publicKeyB64u: string
}

/** Passes identifiers to other creators. The settlement is one conditional write, which no other write can split. */
export class SettlementService {
  readonly #store: ConsentStore
  readonly #cache: RecordCache
  readonly #now: () => number

  constructor(store: ConsentStore, cache: RecordCache, now: () => number) {
    this.#store = store
    this.#cache = cache
    this.#now = now
  }

  /** Idempotent. Passing an identifier to the creator who holds it changes nothing. */
  async settle(request: SettlementRequest): Promise<Result<object, SettlementRefusal>> {
    const { contentHash } = request.statement
    // Dated when it is written: a snapshot is final a minute after its hour.
    const record = await this.#store.settle(request, this.#now())
    // Also after a crash between the write and this.
    await this.#cache.drop(contentHash)
    if (!record) return err({ reason: 'not_found' })
    return record.creatorDid === null ? err({ reason: 'non_native_consent_record' }) : ok({})
  }
}
