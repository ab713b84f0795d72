import { reaching } from '@svc/protocol/base/dependency-fault'
import { bucketOf } from '@svc/protocol/consent/buckets'
import type { Imported, OwnerlessConsent } from '@svc/protocol/operator/imports'
import type { RecordCache } from './record-cache.ts'
import { type Databases, databaseOf } from './shards.ts'

/** Updated now, whatever its age: a snapshot of a past hour is final. */
const IMPORT = `INSERT INTO consent_records (content_hash, preferences, status, version, created_at, updated_at, bucket)
  SELECT e.value ->> 'contentHash', e.value -> 'preferences', 'published', 0, e.value ->> 'declaredAt', ?2,
    e.value ->> 'bucket'
  FROM json_each(?1) e WHERE true ON CONFLICT (content_hash) DO NOTHING RETURNING content_hash`
const OTHERS = `SELECT r.content_hash FROM json_each(?1) e JOIN consent_records r ON r.content_hash = e.value ->> 'contentHash'
  WHERE NOT (r.creator_did IS NULL AND r.preferences = e.value -> 'preferences' AND r.created_at = e.value ->> 'declaredAt')
  ORDER BY r.content_hash`

/** Adds records without an owner, and changes none that is there: idempotent. */
export class ImportService {
  readonly #shards: Databases
  readonly #cache: RecordCache

  constructor(shards: Databases, cache: RecordCache) {
    this.#shards = shards
    this.#cache = cache
  }

  /** One transaction for each shard. After a crash between two, the act is sent again. */
  async add(records: readonly OwnerlessConsent[], now: number): Promise<Imported> {
    const byShard = Map.groupBy(records, ({ contentHash }) => databaseOf(this.#shards, contentHash))
    const done = await Promise.all([...byShard].map(([db, some]) => this.#addTo(db, some, now)))
    // Also after a crash between the write and this.
    await Promise.all(records.map(({ contentHash }) => this.#cache.drop(contentHash)))
    const imported = done.reduce((sum, { added }) => sum + added, 0)
    const refused = done.flatMap(({ others }) => others).toSorted()
    return { imported, known: records.length - imported - refused.length, refused }
  }

  async #addTo(db: D1Database, records: readonly OwnerlessConsent[], now: number) {
    const list = JSON.stringify(records.map((record) => ({ ...record, bucket: bucketOf(record.contentHash) })))
    const [added, others] = await reaching('consent', () =>
      db.batch<{ content_hash: string }>([db.prepare(IMPORT).bind(list, now), db.prepare(OTHERS).bind(list)]),
    )
    return { added: added?.results.length ?? 0, others: (others?.results ?? []).map((row) => row.content_hash) }
  }
}
