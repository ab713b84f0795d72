/**
 * Which database a record is in: that of its bucket. There is one database at first; the function exists from the start
 * so that a second one changes no other code. The number is fixed while there are records: changing it moves buckets.
 *
 * @module
 */
import { bucketOf, CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'

/** All databases of the records; there is at least one. */
export type Databases = readonly [D1Database, ...D1Database[]]

export function databaseOf(databases: Databases, hash: string): D1Database {
  return databases[shardOf(hash, databases.length)] ?? databases[0]
}

/** Contiguous ranges of buckets. */
export function shardOfBucket(bucket: number, shards: number): number {
  return Math.floor((bucket * shards) / CONSENT_BUCKETS)
}

export function shardOf(hash: string, shards: number): number {
  return shards === 1 ? 0 : shardOfBucket(bucketOf(hash), shards)
}
