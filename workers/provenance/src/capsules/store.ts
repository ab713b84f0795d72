import { bucketOf } from '@svc/protocol/base/buckets'
import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { ChainBinding } from '@svc/protocol/provenance/capsules'
import { doneOrDelayed } from '@svc/service'
import type { Full } from '../quota/budget.ts'
import type { CapsuleBucketObject, TakenDownCapsules } from './bucket/object.ts'
import type { ClaimedCapsule, NewCapsule, StoredCapsule } from './bucket/rows.ts'
import type { TakenDown } from './bucket/transaction.ts'
import type { CapsuleOwnerObject } from './owner/object.ts'

export interface CapsuleObjects {
  readonly buckets: DurableObjectNamespace<CapsuleBucketObject>
  readonly owners: DurableObjectNamespace<CapsuleOwnerObject>
}

/** Registered capsules: each in the bucket of its asset, and counted at its owner. */
export class CapsuleStore {
  readonly #objects: CapsuleObjects

  constructor(objects: CapsuleObjects) {
    this.#objects = objects
  }

  /** The registration of an asset by one identity, or the earliest. */
  find(assetId: string, did: string | undefined): Promise<StoredCapsule | null> {
    return reaching('capsules', async () => this.#bucket(assetId).find(assetId, did))
  }

  /** The same, with the first `limit` claims to the asset, in order, and their total number. */
  claimed(assetId: string, did: string | undefined, limit: number): Promise<ClaimedCapsule | null> {
    return reaching('capsules', async () => this.#bucket(assetId).claimed(assetId, did, limit))
  }

  /** Room in the budget of the owner for one attempt to register, which the key of its body names. */
  reserve({ assetId, did, bodyKey }: NewCapsule, limit: number, now: number): Promise<Result<null, Full>> {
    return reaching<Result<null, Full>>('capsules', async () => this.#owner(did).reserve(bodyKey, assetId, limit, now))
  }

  /** Before the body is written. False if the owner has a registration of the asset. */
  admit(capsule: NewCapsule, now: number): Promise<Result<boolean, TakenDown>> {
    return reaching<Result<boolean, TakenDown>>('capsules', async () =>
      this.#bucket(capsule.assetId).admit(capsule, now),
    )
  }

  /**
   * Registers what was admitted, once its body is written, at the asset’s next position. Null if another call was first,
   * with this capsule or another.
   */
  complete(
    capsule: NewCapsule,
    chain: ChainBinding | null,
    now: number,
  ): Promise<Result<StoredCapsule | null, TakenDown>> {
    return reaching<Result<StoredCapsule | null, TakenDown>>('capsules', async () =>
      this.#bucket(capsule.assetId).complete(capsule, chain, now),
    )
  }

  /** What will not be completed. If this fails, its body is deleted after an hour, and its room is void after two. */
  async discard(capsule: NewCapsule, now: number): Promise<void> {
    await doneOrDelayed({ service: 'provenance', delayed: 'capsule bodies' }, async () =>
      this.#bucket(capsule.assetId).discard(capsule.bodyKey, now),
    )
    await this.release(capsule)
  }

  /** The room alone: the body may still arrive, and is deleted after an hour. */
  async release({ did, bodyKey }: NewCapsule): Promise<void> {
    await doneOrDelayed({ service: 'provenance', delayed: 'capsule room' }, async () =>
      this.#owner(did).release(bodyKey),
    )
  }

  /** Deletes a registration, its body and its vectors. The position is not used again. False if there is none. */
  remove(assetId: string, did: string, now: number): Promise<boolean> {
    return reaching('capsules', async () => this.#bucket(assetId).remove(assetId, did, now))
  }

  /** Deletes every registration of an asset and their bodies, for good. Idempotent. */
  takeDown(assetId: string, reason: TakedownReason, isKnown: boolean, now: number): Promise<TakenDownCapsules> {
    return reaching('capsules', async () => this.#bucket(assetId).takeDown(assetId, reason, isKnown, now))
  }

  #bucket(assetId: string) {
    return this.#objects.buckets.getByName(`capsules-${bucketOf(assetId)}`)
  }

  #owner(did: string) {
    return this.#objects.owners.getByName(did)
  }
}
