import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { StoreTransaction } from '../store/transaction.ts'
import type { BucketTally, Parcel } from './moved-records.ts'
import { Packing } from './packing.ts'
import { Unpacking } from './unpacking.ts'

/** `busy`: what the store had of the bucket before is not deleted yet. `not_incoming`: it does not wait for this move. */
export type IncomingRefusal = { readonly reason: 'busy' | 'not_incoming' }

/** Rows that are dropped in one transaction, of an earlier copy. */
const MAX_DROPPED = 1_000

/** The side of a move that gets the bucket. Until the end it answers nothing of it. */
export class Incoming {
  readonly #stored: ObjectStorage
  readonly #transaction: StoreTransaction
  readonly #packing: Packing
  readonly #unpacking: Unpacking

  constructor(stored: ObjectStorage, transaction: StoreTransaction) {
    this.#stored = stored
    this.#transaction = transaction
    this.#packing = new Packing(stored.sql)
    this.#unpacking = new Unpacking(stored.sql)
  }

  /** Takes records. The first parcel of a move makes the bucket incoming, and drops what an earlier copy left. */
  receive(parcel: Parcel, now: number): Result<true, IncomingRefusal> {
    return this.#stored.transact((): Result<true, IncomingRefusal> => {
      const ready = this.#prepare(parcel)
      if (ready.ok) this.#unpacking.unpack(parcel, now)
      return ready
    })
  }

  #prepare({ bucket, version }: Parcel): Result<true, IncomingRefusal> {
    const { ownership, moves } = this.#transaction
    if (!this.#stored.exists) ownership.create()
    const owned = ownership.of(bucket)
    if (owned?.state === 'incoming' && owned.version === version) return ok(true)
    if (owned?.state === 'open' || owned?.state === 'sealed') return err({ reason: 'not_incoming' })
    if (owned && owned.version >= version) return err({ reason: 'not_incoming' })
    if (moves.of(bucket)) return err({ reason: 'busy' })
    while (this.#unpacking.drop(bucket, MAX_DROPPED) > 0);
    ownership.set({ bucket, state: 'incoming', version, heir: null })
    return ok(true)
  }

  /** The versions up to which the acts of these records are here. */
  had(bucket: number, version: number, hashes: readonly string[]): Record<string, number> {
    return this.#isIncoming(bucket, version) ? this.#unpacking.had(bucket, hashes) : {}
  }

  tally(bucket: number, version: number): BucketTally | null {
    return this.#isIncoming(bucket, version) ? this.#packing.tally(bucket) : null
  }

  /** The bucket is here from now on. Idempotent: a bucket that has moved on since stays where it is. */
  open(bucket: number, version: number, segments: number): Result<true, IncomingRefusal> {
    return this.#stored.transact((): Result<true, IncomingRefusal> => {
      const owned = this.#transaction.ownership.of(bucket)
      if (!owned || owned.version < version) return err({ reason: 'not_incoming' })
      if (owned.state !== 'incoming') return ok(true)
      this.#transaction.ownership.set({ ...owned, state: 'open' })
      this.#transaction.ownership.setSegments(bucket, segments)
      return ok(true)
    })
  }

  #isIncoming(bucket: number, version: number): boolean {
    const owned = this.#transaction.ownership.of(bucket)
    return owned?.state === 'incoming' && owned.version === version
  }
}
