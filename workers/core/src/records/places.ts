import type { RecordPlace } from '@svc/objects/records'
import type { CoreObjects } from '@svc/protocol/operator/rebuild-objects'
import { OBJECT_PREFIXES } from '../object-keys.ts'

const PREFIXES: Readonly<Record<CoreObjects, string>> = {
  identities: OBJECT_PREFIXES.identities,
}

/** Where objects of a class are recorded; null in a deployment without the seed. */
export function recordsOf(
  { BLOBS, RECORDS_SEED }: Pick<Env, 'BLOBS' | 'RECORDS_SEED'>,
  objects: CoreObjects,
): RecordPlace | null {
  return RECORDS_SEED ? { bucket: BLOBS, seed: RECORDS_SEED, prefix: PREFIXES[objects] } : null
}
