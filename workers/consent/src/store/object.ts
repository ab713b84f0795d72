import type { RebuildOptions, Rebuilt } from '@svc/objects/records'
import type { Result } from '@svc/protocol/base/result'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import { Archiver } from '../archive/archiver.ts'
import { Incoming, type IncomingRefusal } from '../move/incoming.ts'
import type { BucketTally, Parcel } from '../move/moved-records.ts'
import { type MovePorts, type MoveProgress, Mover } from '../move/mover.ts'
import { PLACEMENT_NAME, type Placement } from '../placement/stores.ts'
import type { NewClaim } from './claims.ts'
import { type DisputesHere, type FoundHere, type HistoryQuery, type KeptHistory, StoreReading } from './reading.ts'
import type { NewAct } from './records.ts'
import type { KeptRecord, SnapshotRow } from './rows.ts'
import { CONSENT_STORE, STORE_RECORDS } from './schema.ts'
import {
  type ImportedHere,
  type ImportedRecord,
  type Placed,
  type SettlementRequest,
  StoreTransaction,
} from './transaction.ts'
import type { Waiting } from './untold.ts'

/** Deliveries of one alarm; the rest follows at once. */
const MAX_TOLD = 256
/** How long one call or alarm goes on with moves. */
const MOVING_MS = 10_000
/** When the alarm goes on with a move whose call has ended, or takes a step again that failed. */
const MOVE_AGAIN_MS = 1_000
const ARCHIVE_EVERY_MS = 3_600_000

/**
 * A store of whole buckets: their records with all acts and claims. Named by its placement, `consent/s00` and so on. What
 * it answers and writes depends on its own rows alone: a caller with an old placement is refused.
 */
export class ConsentStoreObject extends RecordedObject<Env> {
  static override readonly schemas = [CONSENT_STORE]
  static override readonly records = { objects: 'consent-stores', plan: STORE_RECORDS } as const
  readonly #transaction: StoreTransaction
  readonly #reading: StoreReading
  readonly #incoming: Incoming
  /** A property of the instance, which nobody reaches over RPC: tests stop a move between two steps. */
  readonly mover: Mover
  readonly archiver: Archiver
  /** When this instance archived last. */
  #archivedAt = 0
  #moved: readonly Placement[] = []

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#transaction = new StoreTransaction(this.stored, ctx.id.name ?? '')
    this.#reading = new StoreReading(this.stored, this.#transaction)
    this.#incoming = new Incoming(this.stored, this.#transaction)
    this.archiver = new Archiver(this.stored, this.#transaction, env.BLOBS)
    this.mover = new Mover(this.stored, this.#transaction, portsOf(env))
    this.onRebuilt = () => {
      for (const placement of this.#moved) this.#transaction.ownership.concede(placement)
    }
  }

  find(bucket: number, hash: string, actHash: string | null): Placed<KeptRecord | null> {
    return this.#reading.find(bucket, hash, actHash)
  }

  findMany(wanted: readonly (readonly [bucket: number, hashes: readonly string[]])[]): FoundHere {
    return this.#reading.findMany(wanted)
  }

  hasClaim(bucket: number, hash: string, creatorDid: string): Placed<boolean> {
    return this.#reading.hasClaim(bucket, hash, creatorDid)
  }

  history(bucket: number, hash: string, query: HistoryQuery): Placed<KeptHistory | null> {
    return this.#reading.history(bucket, hash, query)
  }

  snapshot(bucket: number, at: number, after: string | null, limit: number): Placed<SnapshotRow[]> {
    return this.#reading.snapshot(bucket, at, after, limit)
  }

  disputes(after: string | null, limit: number): DisputesHere {
    return this.#reading.disputes(after, limit)
  }

  write(bucket: number, act: NewAct, now: number): Promise<Placed<KeptRecord | null>> {
    return this.#told(bucket, act.hash, this.#transaction.write(bucket, act, now))
  }

  settle(bucket: number, request: SettlementRequest, now: number): Promise<Placed<KeptRecord | null>> {
    return this.#told(bucket, request.statement.contentHash, this.#transaction.settle(bucket, request, now))
  }

  keepClaim(bucket: number, claim: NewClaim, hasRoom: boolean, now: number): Promise<Placed<boolean>> {
    return this.#told(bucket, claim.hash, this.#transaction.keepClaim(bucket, claim, hasRoom, now))
  }

  withdraw(
    bucket: number,
    claim: Pick<NewClaim, 'hash' | 'creatorDid' | 'actHash'>,
    now: number,
  ): Promise<Placed<boolean>> {
    return this.#told(bucket, claim.hash, this.#transaction.withdraw(bucket, claim, now))
  }

  /** Idempotent. */
  import(records: readonly ImportedRecord[], now: number): ImportedHere {
    return this.#transaction.import(records, now)
  }

  /**
   * Moves a bucket to another store: begins, and takes steps for some seconds. The alarm takes the rest. Sending it again
   * finds the move where it is.
   */
  async move(bucket: number, target: string): Promise<MoveProgress> {
    const begun = this.mover.begin(bucket, target)
    if (begun.state !== 'moving') return begun
    this.#keepAlarm()
    await this.#takeSteps(bucket, Date.now() + MOVING_MS)
    return this.#transaction.moves.of(bucket) ? begun : { ...begun, state: 'moved' }
  }

  receive(parcel: Parcel): Result<true, IncomingRefusal> {
    return this.#incoming.receive(parcel, Date.now())
  }

  had(bucket: number, version: number, hashes: readonly string[]): Record<string, number> {
    return this.#incoming.had(bucket, version, hashes)
  }

  tally(bucket: number, version: number): BucketTally | null {
    return this.#incoming.tally(bucket, version)
  }

  /** The answer lets the other store delete its copy, so the records of this one come first. */
  async openBucket(bucket: number, version: number, segments: number): Promise<Result<true, IncomingRefusal>> {
    const opened = this.#incoming.open(bucket, version, segments)
    if (!opened.ok) return opened
    this.#keepAlarm()
    await this.recordNow()
    return opened
  }

  /** A bucket that moved away in the last minute is not taken back. */
  override async rebuildFromRecords(options: RebuildOptions): Promise<Rebuilt | 'failed'> {
    const placement = objectsIn(this.env, this.env.CONSENT_PLACEMENT).getByName(PLACEMENT_NAME)
    this.#moved = await placement.moved()
    return super.rebuildFromRecords(options)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    // First, so that a crash below leaves an alarm.
    this.#keepAlarm()
    await this.#tell(this.#transaction.untold.due(Date.now(), MAX_TOLD))
    const until = Date.now() + MOVING_MS
    for (const { bucket } of this.#transaction.moves.all()) {
      await doneOrDelayed({ service: 'consent', delayed: 'bucket move' }, () => this.#takeSteps(bucket, until))
    }
    await this.#archive(Date.now())
    this.#keepAlarm()
    await this.keepRecords()
  }

  /** Every write is followed by an alarm, so that a store with new acts looks for old ones. */
  async #archive(now: number): Promise<void> {
    if (now < this.#archivedAt + ARCHIVE_EVERY_MS) return
    this.#archivedAt = now
    // Until a later hour the signatures stay here.
    await doneOrDelayed({ service: 'consent', delayed: 'archive' }, () => this.archiver.archiveAll())
  }

  async #takeSteps(bucket: number, until: number): Promise<void> {
    while ((await this.mover.step(bucket)) && Date.now() < until);
  }

  /** The lists of creators have a write before its answer, so that its author finds it there. The write stands without. */
  async #told<T extends Placed<unknown>>(bucket: number, hash: string, outcome: T): Promise<T> {
    const row = outcome.ok ? this.#transaction.records.row(bucket, hash) : null
    const waiting = row ? this.#transaction.untold.of(row.id) : []
    if (waiting.length === 0) return outcome
    this.#keepAlarm()
    await this.#tell(waiting)
    return outcome
  }

  async #tell(waiting: readonly Waiting[]): Promise<void> {
    const creators = objectsIn(this.env, this.env.CONSENT_CREATORS)
    const byDid = Map.groupBy(waiting, ({ did }) => did)
    await Promise.all(
      [...byDid].map(async ([did, some]) => {
        const work = { service: 'consent', delayed: 'creator lists', waiting: some.length }
        const haveArrived = await doneOrDelayed(work, async () =>
          creators.getByName(did).take(some.map(({ holding }) => holding)),
        )
        this.stored.transact(() => {
          for (const one of some) {
            if (haveArrived) this.#transaction.untold.told(one)
            else this.#transaction.untold.failed(one, Date.now())
          }
        })
      }),
    )
  }

  /** Not awaited: the output gate holds the answer. */
  #keepAlarm(): void {
    const due = this.#transaction.untold.dueAt()
    if (due !== null) void this.stored.alarm.by(due)
    if (this.#transaction.moves.all().length > 0) void this.stored.alarm.by(Date.now() + MOVE_AGAIN_MS)
  }
}

function portsOf(env: Env): MovePorts {
  return {
    target: (name) => objectsIn(env, env.CONSENT_STORES).getByName(name),
    raise: async (placement) => objectsIn(env, env.CONSENT_PLACEMENT).getByName(PLACEMENT_NAME).raise(placement),
  }
}
