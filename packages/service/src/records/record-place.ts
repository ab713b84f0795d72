import type { RecordPlace } from '@svc/objects/records'
import type { RecordedObjects } from '@svc/protocol/operator/rebuild-objects'
import { seedVersionsOf } from '../app/seed-versions.ts'

/** The bindings of a Worker whose objects are recorded, each with a bucket and a seed of its own. */
export interface RecordsEnv {
  readonly RECORDS: R2Bucket
  /** Erasure keys: without lock, export or copy. */
  readonly ERASURE_KEYS: R2Bucket
  /** Of version 1; later ones have their number behind the name. */
  readonly RECORDS_SEED?: string
}

/** Where objects of a class are recorded; null in a deployment without the seed. */
export function recordPlaceOf(env: RecordsEnv, objects: RecordedObjects): RecordPlace | null {
  const seeds = seedVersionsOf(env, 'RECORDS_SEED')
  return seeds.size > 0 ? { bucket: env.RECORDS, erasureKeys: env.ERASURE_KEYS, seeds, prefix: `${objects}/` } : null
}
