import { RecordedObject } from '@svc/service/recorded-object'
import { CONSENT_PLACEMENT, PLACEMENT_RECORDS } from './schema.ts'
import { firstStoreOf, type Placement } from './stores.ts'

/**
 * Which store has which bucket, as a directory: a store decides by its own rows whether it answers. Empty until the first
 * move. Raising the version of a bucket is the moment in which a move happens.
 */
export class ConsentPlacementObject extends RecordedObject<Env> {
  static override readonly schemas = [CONSENT_PLACEMENT]
  static override readonly records = { objects: 'consent-placements', plan: PLACEMENT_RECORDS } as const

  find(bucket: number): Placement {
    const select = 'SELECT bucket, store, version FROM placements WHERE bucket = ?'
    const [row] = this.stored.exists ? this.stored.sql.exec<Row>(select, bucket).toArray() : []
    return row ?? { bucket, store: firstStoreOf(bucket), version: 0 }
  }

  /** All buckets that were moved. */
  moved(): Placement[] {
    if (!this.stored.exists) return []
    return this.stored.sql.exec<Row>('SELECT bucket, store, version FROM placements ORDER BY bucket').toArray()
  }

  /** Places the bucket if this is its next version. Returns where it is afterwards. Idempotent. */
  raise({ bucket, store, version }: Placement): Placement {
    return this.stored.transact(() => {
      if (this.find(bucket).version === version - 1) {
        this.stored.create(CONSENT_PLACEMENT)
        this.stored.sql.exec(
          `INSERT INTO placements (bucket, store, version) VALUES (?1, ?2, ?3)
           ON CONFLICT (bucket) DO UPDATE SET store = ?2, version = ?3`,
          bucket,
          store,
          version,
        )
      }
      return this.find(bucket)
    })
  }
}

type Row = { bucket: number; store: string; version: number }
