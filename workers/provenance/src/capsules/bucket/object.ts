import type { Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { ChainBinding } from '@svc/protocol/provenance/capsules'
import { doneOrDelayed, LooseObjects, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import { VectorSetStore } from '../../vectors/set-store.ts'
import { AFTER_MS, type Untold, type VectorRemoval } from './outgoing.ts'
import type { ClaimedCapsule, NewCapsule, StoredCapsule } from './rows.ts'
import { BUCKET_RECORDS, CAPSULE_BUCKET } from './schema.ts'
import { BucketTransaction, type TakenDown } from './transaction.ts'

/** Owners that one alarm tells, and registrations whose vectors it deletes; the rest follows. */
const MAX_TOLD = 256
/** R2's limit of keys in one delete. */
const MAX_KEYS = 1_000
/** Deletes of R2 in one call or alarm, of a thousand keys each. */
const MAX_DELETES = 50

export interface TakenDownCapsules {
  /** False if there never was a registration that the bucket remembers. */
  readonly isKnown: boolean
  /** Whether all bodies are deleted. The alarm deletes the others. */
  readonly isClean: boolean
}

/**
 * One of the 1,024 buckets of capsules: all registrations of the assets in it, named `capsules-0` to `capsules-1023`. What
 * it changes has effects in R2, in D1 and in the lists of owners. It notes them with the change; a call tries its own
 * before it answers, and the alarm repeats what failed.
 */
export class CapsuleBucketObject extends RecordedObject<Env> {
  static override readonly schemas = [CAPSULE_BUCKET]
  static override readonly records = { objects: 'capsule-buckets', plan: BUCKET_RECORDS } as const
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
    if (!completed.ok || !completed.value) await this.discard(capsule.bodyKey, now)
    else await this.#tell(this.#transaction.outgoing.untoldOf(capsule.assetId, capsule.did))
    return completed
  }

  async discard(bodyKey: string, now: number): Promise<void> {
    if (this.#kept(this.#transaction.discard(bodyKey, now))) await this.#deleteBodies([bodyKey])
  }

  async remove(assetId: string, did: string, now: number): Promise<boolean> {
    const removed = this.#kept(this.#transaction.remove(assetId, did, now))
    if (!removed) return false
    const { outgoing } = this.#transaction
    await Promise.all([
      this.#deleteBodies([removed.bodyKey]),
      this.#removeVectors(outgoing.removalsOf(assetId, did)),
      this.#tell(outgoing.untoldOf(assetId, did)),
    ])
    return true
  }

  /** Idempotent: what is left of the bodies is deleted by the next call, or by the alarm. */
  async takeDown(assetId: string, reason: TakedownReason, isKnown: boolean, now: number): Promise<TakenDownCapsules> {
    if (!this.#kept(this.#transaction.takeDown(assetId, reason, isKnown, now))) return { isKnown: false, isClean: true }
    const { outgoing } = this.#transaction
    for (let turn = 0; turn < MAX_DELETES; turn++) {
      const keys = outgoing.condemnedOf(assetId, MAX_KEYS)
      if (keys.length === 0) return { isKnown: true, isClean: true }
      if (!(await this.#deleteBodies(keys))) break
    }
    return { isKnown: true, isClean: false }
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    const { outgoing } = this.#transaction
    // First, so that a crash below leaves an alarm; not at once, so that it has no work twice.
    if (outgoing.dueAt() !== null) void this.stored.alarm.by(Date.now() + AFTER_MS)
    const now = Date.now()
    await Promise.all([
      this.#deleteDue(now),
      this.#removeVectors(outgoing.removals(now, MAX_TOLD)),
      this.#tell(outgoing.untold(now, MAX_TOLD)),
    ])
    this.#keepAlarm()
    await this.keepRecords()
  }

  async #deleteDue(now: number): Promise<void> {
    for (let turn = 0; turn < MAX_DELETES; turn++) {
      const keys = this.#transaction.outgoing.dueBodies(now, MAX_KEYS)
      if (keys.length === 0 || !(await this.#deleteBodies(keys))) return
    }
  }

  /** Condemned ones. Whether they are deleted. */
  async #deleteBodies(keys: readonly string[]): Promise<boolean> {
    const { outgoing } = this.#transaction
    const work = { service: 'provenance', delayed: 'capsule bodies', waiting: keys.length }
    const isDone = await doneOrDelayed(work, () => this.env.BLOBS.delete([...keys]))
    if (isDone) outgoing.deleted(keys)
    else outgoing.bodiesFailed(keys, Date.now())
    return isDone
  }

  /** Ends with the first failure: what is due waits together, since all of it goes to one database. */
  async #removeVectors(removals: readonly VectorRemoval[]): Promise<void> {
    const { DB, BLOBS } = this.env
    const { outgoing } = this.#transaction
    const sets = new VectorSetStore(DB, BLOBS, new LooseObjects(DB, BLOBS))
    for (const removal of removals) {
      const { assetId, did, position } = removal
      const work = { service: 'provenance', delayed: 'capsule vectors', waiting: removals.length }
      if (!(await doneOrDelayed(work, () => sets.removeUpTo(assetId, did, position)))) {
        outgoing.removalsFailed(removal, Date.now())
        return
      }
      outgoing.removed(removal, Date.now())
    }
  }

  async #tell(untold: readonly Untold[]): Promise<void> {
    const owners = objectsIn(this.env, this.env.CAPSULE_OWNERS)
    const { outgoing } = this.#transaction
    await Promise.all(
      [...Map.groupBy(untold, ({ did }) => did)].map(async ([did, some]) => {
        const held = some.map(({ assetId, revision, isHeld, bodyKey }) => ({ assetId, revision, isHeld, bodyKey }))
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
