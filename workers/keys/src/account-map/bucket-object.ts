import { VersionedObject } from '@svc/objects'
import type { Result } from '@svc/protocol/base/result'
import type { MapAccount } from '@svc/protocol/keys/account-map'
import type { MapUpdate } from '@svc/protocol/keys/map-pages'
import { Bucket, type BucketHead, type CountCall, type FoundPath, type Lost } from './bucket.ts'
import { MAP_BUCKET } from './schema.ts'

/**
 * One of the 256 buckets of the map of accounts: those whose labels begin with its byte. It exists from its first
 * account on, and can be recomputed from the entries of the logs.
 */
export class MapBucketObject extends VersionedObject<Env> {
  static override readonly schemas = [MAP_BUCKET]
  readonly #bucket: Bucket

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#bucket = new Bucket(this.stored)
  }

  count(call: CountCall): Result<BucketHead, Lost> {
    return this.#bucket.count(call)
  }

  reset(): void {
    this.#bucket.reset()
  }

  refill(from: BucketHead, updates: readonly MapUpdate[], until = ''): Result<BucketHead, Lost> {
    return this.#bucket.refill({ from, updates, until })
  }

  account(label: string): MapAccount | null {
    return this.#bucket.account(label)
  }

  path(label: string, head: BucketHead): Result<FoundPath, Lost> {
    return this.#bucket.path(label, head)
  }
}
