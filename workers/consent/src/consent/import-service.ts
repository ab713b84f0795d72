import { consentBucketOf } from '@svc/protocol/consent/buckets'
import type { Imported, OwnerlessConsent } from '@svc/protocol/operator/imports'
import type { Stores } from '../store/client.ts'
import type { RecordCache } from './record-cache.ts'

/** Adds records without an owner, and changes none that is there: idempotent. */
export class ImportService {
  readonly #stores: Stores
  readonly #cache: RecordCache

  constructor(stores: Stores, cache: RecordCache) {
    this.#stores = stores
    this.#cache = cache
  }

  /** One transaction for each store. After a crash between two, the act is sent again. */
  async add(records: readonly OwnerlessConsent[], now: number): Promise<Imported> {
    const placed = records.map((record) => ({ ...record, bucket: consentBucketOf(record.contentHash) }))
    const { added, others } = await this.#stores.import(placed, now)
    // Also after a crash between the write and this.
    await Promise.all(records.map(({ contentHash }) => this.#cache.drop(contentHash)))
    const refused = others.toSorted()
    return { imported: added.length, known: records.length - added.length - refused.length, refused }
  }
}
