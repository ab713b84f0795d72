/**
 * The side of a move that gives the bucket away. Each step is one transaction here, one call of the other side, or both in
 * an order that a crash between them repeats; the row of the move says which step is next.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import type { Result } from '@svc/protocol/base/result'
import type { Placement } from '../placement/stores.ts'
import { MAX_SEALED_MS, type StoreTransaction } from '../store/transaction.ts'
import type { IncomingRefusal } from './incoming.ts'
import type { BucketTally, Parcel } from './moved-records.ts'
import type { MoveRow } from './moves.ts'
import { type Packable, Packing } from './packing.ts'
import { Unpacking } from './unpacking.ts'

/** What a move needs of the store that gets the bucket. */
export interface Target {
  had(bucket: number, version: number, hashes: readonly string[]): Promise<Record<string, number>>
  receive(parcel: Parcel): Promise<Result<true, IncomingRefusal>>
  tally(bucket: number, version: number): Promise<BucketTally | null>
  openBucket(bucket: number, version: number, segments: number): Promise<Result<true, IncomingRefusal>>
}
export interface MovePorts {
  readonly target: (name: string) => Target
  readonly raise: (placement: Placement) => Promise<Placement>
}

/** `moving`: the store goes on by itself. `not_here`: another store has the bucket. */
export type MoveProgress =
  | { readonly state: 'moving'; readonly target: string }
  | { readonly state: 'moved'; readonly target: string }
  | { readonly state: 'not_here' }

/** Records that are read for one parcel. */
const MAX_RECORDS = 200
/** So few changes are copied in much less than a second. */
const MAX_LAST_CHANGES = 50
const MAX_DELETED = 200

export class Mover {
  readonly #stored: ObjectStorage
  readonly #transaction: StoreTransaction
  /** Replaced by tests, which lose requests and answers of the other side. */
  ports: MovePorts
  readonly #packing: Packing
  readonly #unpacking: Unpacking
  #lastStep: Promise<unknown> = Promise.resolve()

  constructor(stored: ObjectStorage, transaction: StoreTransaction, ports: MovePorts) {
    this.#stored = stored
    this.#transaction = transaction
    this.ports = ports
    this.#packing = new Packing(stored.sql)
    this.#unpacking = new Unpacking(stored.sql)
  }

  /** Begins the move, or finds the one that is under way. Idempotent. */
  begin(bucket: number, target: string): MoveProgress {
    return this.#stored.transact((): MoveProgress => {
      const { ownership, moves } = this.#transaction
      const owned = ownership.of(bucket)
      const under = this.#stored.exists ? moves.of(bucket) : null
      if (owned?.state === 'given' && owned.heir === target) return { state: under ? 'moving' : 'moved', target }
      if (under) return { state: 'moving', target: under.target }
      if (owned?.state !== 'open') return { state: 'not_here' }
      ownership.create()
      moves.begin(bucket, target, owned.version + 1)
      return { state: 'moving', target }
    })
  }

  /** Takes the next step of a move; false if there is none. One after another, by a call or by the alarm. */
  step(bucket: number): Promise<boolean> {
    const step = () => this.#step(bucket)
    const taken = this.#lastStep.then(step, step)
    this.#lastStep = taken
    return taken
  }

  async #step(bucket: number): Promise<boolean> {
    const move = this.#stored.exists ? this.#transaction.moves.of(bucket) : null
    if (!move) return false
    switch (move.state) {
      case 'copying':
        await this.#copy(move)
        return true
      case 'sealed':
        await this.#finish(move)
        return true
      case 'raising':
        await this.#raise(move)
        return true
      case 'opening':
        await this.#open(move)
        return true
      case 'deleting':
        this.#delete(move)
        return true
    }
  }

  /** Copies the next records, then what has changed since, until so little is left that writes can wait for it. */
  async #copy(move: MoveRow): Promise<void> {
    const { bucket, cursor } = move
    const { moves, ownership } = this.#transaction
    if (cursor !== null) {
      const records = this.#packing.after(bucket, cursor, MAX_RECORDS)
      const sent = await this.#send(move, records)
      const isLast = records.length < MAX_RECORDS && sent.length === records.length
      this.#stored.transact(() => {
        moves.sent(bucket, sent)
        moves.copied(bucket, isLast ? null : (sent.at(-1)?.hash ?? cursor))
      })
      return
    }
    if (moves.changes(bucket) > MAX_LAST_CHANGES) {
      await this.#replay(move)
      return
    }
    this.#stored.transact(() => {
      const owned = ownership.of(bucket)
      if (owned?.state !== 'open' || moves.of(bucket)?.state !== 'copying') return
      ownership.set({ ...owned, state: 'sealed' })
      moves.set(bucket, 'sealed', Date.now())
    })
  }

  async #replay(move: MoveRow): Promise<number> {
    const changed = this.#packing.changed(move.bucket, MAX_RECORDS)
    const sent = changed.length === 0 ? [] : await this.#send(move, changed)
    this.#stored.transact(() => this.#transaction.moves.sent(move.bucket, sent))
    return changed.length
  }

  /** Sends what the target lacks of these records; returns those that it has whole. */
  async #send({ bucket, version, target }: MoveRow, records: readonly Packable[]): Promise<readonly Packable[]> {
    const to = this.ports.target(target)
    const hashes = records.map(({ hash }) => hash)
    const had = await to.had(bucket, version, hashes)
    // Read after the call: the records may have changed, and so may their revisions.
    const now = records.map((record) => ({ ...record, revision: this.#transaction.records.revisionOf(record.id) }))
    const packed = this.#packing.pack(now, had)
    const taken = await to.receive({ bucket, version, records: packed.records, keys: packed.keys })
    if (!taken.ok) throw new Error(`${target} refuses bucket ${bucket}: ${taken.error.reason}`)
    return now.slice(0, packed.whole)
  }

  /** Sealed: copies the last changes and compares. Whatever goes wrong, writes go on and the step is taken again. */
  async #finish(move: MoveRow): Promise<void> {
    const { bucket, version, sealedAt } = move
    const { moves } = this.#transaction
    const isLate = () => Date.now() - (sealedAt ?? 0) > MAX_SEALED_MS
    try {
      while (!isLate() && (await this.#replay(move)) > 0);
      const theirs = isLate() ? null : await this.ports.target(move.target).tally(bucket, version)
      const isWhole = this.#stored.transact(() => {
        const still = moves.of(bucket)
        if (still?.state !== 'sealed' || still.sealedAt !== sealedAt || isLate()) return undefined
        if (theirs === null || !isSame(theirs, this.#packing.tally(bucket))) return false
        moves.set(bucket, 'raising')
        return true
      })
      // It lacks something that no change explains: all of it is copied again.
      if (isWhole === false) this.#stored.transact(() => moves.copied(bucket, ''))
    } finally {
      this.#stored.transact(() => this.#transaction.unseal(bucket, Number.POSITIVE_INFINITY))
    }
  }

  /** From here on, the bucket is the target's: this store answers no more, and says who does. */
  async #raise({ bucket, version, target }: MoveRow): Promise<void> {
    const placed = await this.ports.raise({ bucket, version, store: target })
    if (placed.store !== target || placed.version !== version) {
      throw new Error(`bucket ${bucket} is at ${placed.store} with version ${placed.version}`)
    }
    this.#stored.transact(() => {
      const { ownership, moves } = this.#transaction
      ownership.set({ bucket, state: 'given', version, heir: target })
      moves.set(bucket, 'opening')
    })
  }

  async #open({ bucket, version, target }: MoveRow): Promise<void> {
    const segments = this.#transaction.ownership.segmentsOf(bucket)
    const opened = await this.ports.target(target).openBucket(bucket, version, segments)
    if (!opened.ok) throw new Error(`${target} does not open bucket ${bucket}: ${opened.error.reason}`)
    this.#stored.transact(() => this.#transaction.moves.set(bucket, 'deleting'))
  }

  #delete({ bucket }: MoveRow): void {
    this.#stored.transact(() => {
      if (this.#unpacking.drop(bucket, MAX_DELETED) < MAX_DELETED) this.#transaction.moves.end(bucket)
    })
  }
}

function isSame(a: BucketTally, b: BucketTally): boolean {
  return a.records === b.records && a.revisions === b.revisions && a.acts === b.acts && a.claims === b.claims
}
