import { VersionedObject } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { ChainBinding } from '@svc/protocol/provenance/capsules'
import { doneOrDelayed, LooseObjects, objectsIn } from '@svc/service'
import { VectorSetStore } from '../../vectors/set-store.ts'
import type { Untold } from './outgoing.ts'
import type { ClaimedCapsule, NewCapsule, StoredCapsule } from './rows.ts'
import { CAPSULE_BUCKET } from './schema.ts'
import { BucketTransaction, type TakenDown } from './transaction.ts'

/** Owners that one alarm tells, and registrations whose vectors it deletes; the rest follows at once. */
const MAX_TOLD = 256
/** R2's limit of keys in one delete. */
const MAX_BODIES = 1_000

/**
 * One of the 1,024 buckets of capsules: all registrations of the assets in it, named `capsules-0` to `capsules-1023`. What
 * it changes has effects in R2, in D1 and in the lists of owners; it notes them with the change, does them before it
 * answers, and its alarm repeats what failed.
 */
export class CapsuleBucketObject extends VersionedObject<Env> {
  static override readonly schemas = [CAPSULE_BUCKET]
  readonly #transaction = new BucketTransaction(this.stored)

  find(assetId: string, did: string | undefined): StoredCapsule | null {
    return this.#transaction.find(assetId, did)
  }

  claimed(assetId: string, did: string | undefined, limit: number): ClaimedCapsule | null {
    return this.#transaction.claimed(assetId, did, limit)
  }

  admit(capsule: NewCapsule, now: number): Result<boolean, TakenDown> {
    return this.#kept(this.#transaction.admit(capsule, now))
  }

  async complete(
    capsule: NewCapsule,
    chain: ChainBinding | null,
    now: number,
  ): Promise<Result<StoredCapsule | null, TakenDown>> {
    const completed = this.#kept(this.#transaction.complete(capsule, chain, now))
    if (completed.ok && completed.value) {
      await this.#tell(this.#transaction.outgoing.untoldOf(capsule.assetId, capsule.did))
    } else {
      await this.discard(capsule.bodyKey, now)
    }
    return completed
  }

  async discard(bodyKey: string, now: number): Promise<void> {
    this.#kept(this.#transaction.discard(bodyKey, now))
    await this.#deleteBodies(now)
  }

  async remove(assetId: string, did: string, now: number): Promise<boolean> {
    const isRemoved = this.#kept(this.#transaction.remove(assetId, did, now))
    if (!isRemoved) return false
    await Promise.all([
      this.#deleteBodies(now),
      this.#removeVectors(now),
      this.#tell(this.#transaction.outgoing.untoldOf(assetId, did)),
    ])
    return true
  }

  /** Idempotent. Throws if bodies are left, which the alarm deletes later. */
  async takeDown(assetId: string, reason: TakedownReason, now: number): Promise<boolean> {
    const isTakenDown = this.#kept(this.#transaction.takeDown(assetId, reason, now))
    if (isTakenDown && !(await this.#deleteBodies(now))) throw new DependencyFault('capsule bodies')
    return isTakenDown
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    // First, so that a crash below leaves an alarm.
    this.#keepAlarm()
    const now = Date.now()
    await Promise.all([
      this.#deleteBodies(now),
      this.#removeVectors(now),
      this.#tell(this.#transaction.outgoing.untold(now, MAX_TOLD)),
    ])
    this.#keepAlarm()
  }

  /** Whether nothing that is due is left. */
  async #deleteBodies(now: number): Promise<boolean> {
    if (!this.stored.exists) return true
    const { outgoing } = this.#transaction
    for (;;) {
      const keys = outgoing.dueBodies(now, MAX_BODIES)
      if (keys.length === 0) return true
      const work = { service: 'provenance', delayed: 'capsule bodies', waiting: keys.length }
      const isDone = await doneOrDelayed(work, () => this.env.BLOBS.delete(keys))
      this.stored.transact(() => (isDone ? outgoing.deleted(keys) : outgoing.postpone(keys, Date.now())))
      if (!isDone) return false
    }
  }

  async #removeVectors(now: number): Promise<void> {
    const { DB, BLOBS } = this.env
    const { outgoing } = this.#transaction
    const sets = new VectorSetStore(DB, BLOBS, new LooseObjects(DB, BLOBS))
    for (const removal of outgoing.removals(now, MAX_TOLD)) {
      const { assetId, did, position } = removal
      const work = { service: 'provenance', delayed: 'capsule vectors' }
      const isDone = await doneOrDelayed(work, () => sets.removeUpTo(assetId, did, position))
      if (isDone) outgoing.removed(removal, Date.now())
      else outgoing.notRemoved(removal, Date.now())
    }
    this.#keepAlarm()
  }

  async #tell(untold: readonly Untold[]): Promise<void> {
    const owners = objectsIn(this.env, this.env.CAPSULE_OWNERS)
    const { outgoing } = this.#transaction
    await Promise.all(
      [...Map.groupBy(untold, ({ did }) => did)].map(async ([did, some]) => {
        const held = some.map(({ assetId, revision, isHeld }) => ({ assetId, revision, isHeld }))
        const work = { service: 'provenance', delayed: 'capsule owners', waiting: held.length }
        const haveArrived = await doneOrDelayed(work, async () => owners.getByName(did).take(held, Date.now()))
        this.stored.transact(() => {
          for (const one of some) {
            if (haveArrived) outgoing.told(one)
            else outgoing.notTold(one, Date.now())
          }
        })
      }),
    )
  }

  #kept<T>(outcome: T): T {
    this.#keepAlarm()
    return outcome
  }

  /** Not awaited: the output gate holds the answer. */
  #keepAlarm(): void {
    const due = this.stored.exists ? this.#transaction.outgoing.dueAt() : null
    if (due !== null) void this.stored.alarm.by(due)
  }
}
