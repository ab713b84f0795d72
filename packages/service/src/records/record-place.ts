import type { RecordPlace } from '@svc/objects/records'
import type { RecordedObjects } from '@svc/protocol/operator/rebuild-objects'
import * as z from 'zod'

/** The bindings of a Worker whose objects are recorded. */
export interface RecordsEnv {
  readonly RECORDS: R2Bucket
  readonly RECORDS_SEED?: string
}

/** Of the configuration of such a Worker: the seed of the keys that encrypt its records. Without it there are none. */
export const recordsSeedField = z
  .string()
  .regex(/^(?:[0-9a-f]{64})?$/, 'must be 64 hex characters, or empty: nothing is recorded then')
  .optional()

/** Where objects of a class are recorded; null in a deployment without the seed. */
export function recordPlaceOf({ RECORDS, RECORDS_SEED }: RecordsEnv, objects: RecordedObjects): RecordPlace | null {
  return RECORDS_SEED ? { bucket: RECORDS, seed: RECORDS_SEED, prefix: `${objects}/` } : null
}
