import { consentBucketOf } from '@svc/protocol/consent/buckets'
import type { ConsentEntry } from '@svc/protocol/consent/history-page'
import type { Archive } from '../archive/archive.ts'
import type { Stores } from '../store/client.ts'
import type { KeptHistory } from '../store/reading.ts'
import type { NewAct } from '../store/records.ts'
import type { FullRecord, KeptRecord } from '../store/rows.ts'

/** A history page with the signatures of its acts. */
export type FullHistory = Omit<KeptHistory, 'acts'> & { readonly acts: readonly ConsentEntry[] }

/** Records and histories with their signatures, whether the store still has those or the archive. */
export class Records {
  readonly #stores: Stores
  readonly #archive: Archive

  constructor(stores: Stores, archive: Archive) {
    this.#stores = stores
    this.#archive = archive
  }

  /** A record with its newest act, and whether the act with this hash was accepted before. */
  async find(hash: string, actHash: string | null = null): Promise<FullRecord | null> {
    return this.#whole(await this.#stores.find(hash, actHash))
  }

  async write(act: NewAct, now: number): Promise<FullRecord | null> {
    return this.#whole(await this.#stores.write(act, now))
  }

  async history(hash: string, query: Parameters<Stores['history']>[1]): Promise<FullHistory | null> {
    const kept = await this.#stores.history(hash, query)
    return kept && { ...kept, acts: await this.#archive.complete(consentBucketOf(hash), kept.acts) }
  }

  async #whole(record: KeptRecord | null): Promise<FullRecord | null> {
    if (!record?.act) return record && { ...record, act: null }
    const [act = null] = await this.#archive.complete(consentBucketOf(record.hash), [record.act])
    return { ...record, act }
  }
}
