import type { Dispute } from '@svc/protocol/operator/reads'
import { doneOrDelayed, objectsIn } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import { Archiver } from '../archive/archiver.ts'
import type { NewClaim } from './claims.ts'
import { type KeptHistory, StoreReading } from './reading.ts'
import type { HistoryQuery, NewAct } from './records.ts'
import type { BriefRecord, KeptRecord, SnapshotRow } from './rows.ts'
import { CONSENT_STORE, STORE_RECORDS } from './schema.ts'
import { type ImportedHere, type ImportedRecord, type SettlementRequest, StoreTransaction } from './transaction.ts'
import type { Waiting } from './untold.ts'

/** Deliveries of one alarm; the rest follows at once. */
const MAX_TOLD = 256
const ARCHIVE_EVERY_MS = 3_600_000

/** A store of whole buckets: their records with all acts and claims. `names.ts` says which buckets it has. */
export class ConsentStoreObject extends RecordedObject<Env> {
  static override readonly schemas = [CONSENT_STORE]
  static override readonly records = { objects: 'consent-stores', plan: STORE_RECORDS } as const
  readonly #transaction: StoreTransaction
  readonly #reading: StoreReading
  /** A property of the instance, which nobody reaches over RPC. */
  readonly archiver: Archiver
  /** When this instance archived last. */
  #archivedAt = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#transaction = new StoreTransaction(this.stored)
    this.#reading = new StoreReading(this.stored, this.#transaction)
    this.archiver = new Archiver(this.stored, env.BLOBS)
  }

  find(bucket: number, hash: string, actHash: string | null): KeptRecord | null {
    return this.#reading.find(bucket, hash, actHash)
  }

  findMany(wanted: readonly (readonly [bucket: number, hashes: readonly string[]])[]): BriefRecord[] {
    return this.#reading.findMany(wanted)
  }

  hasClaim(bucket: number, hash: string, creatorDid: string): boolean {
    return this.#reading.hasClaim(bucket, hash, creatorDid)
  }

  history(bucket: number, hash: string, query: HistoryQuery): KeptHistory | null {
    return this.#reading.history(bucket, hash, query)
  }

  snapshot(bucket: number, at: number, after: string | null, limit: number): SnapshotRow[] {
    return this.#reading.snapshot(bucket, at, after, limit)
  }

  disputes(after: string | null, limit: number): Dispute[] {
    return this.#reading.disputes(after, limit)
  }

  write(bucket: number, act: NewAct, now: number): Promise<KeptRecord | null> {
    return this.#told(bucket, act.hash, this.#transaction.write(bucket, act, now))
  }

  settle(bucket: number, request: SettlementRequest, now: number): Promise<KeptRecord | null> {
    return this.#told(bucket, request.statement.contentHash, this.#transaction.settle(bucket, request, now))
  }

  keepClaim(bucket: number, claim: NewClaim, hasRoom: boolean, now: number): Promise<boolean> {
    return this.#told(bucket, claim.hash, this.#transaction.keepClaim(bucket, claim, hasRoom, now))
  }

  withdraw(bucket: number, claim: Pick<NewClaim, 'hash' | 'creatorDid' | 'actHash'>, now: number): Promise<boolean> {
    return this.#told(bucket, claim.hash, this.#transaction.withdraw(bucket, claim, now))
  }

  /** Idempotent. */
  import(records: readonly ImportedRecord[], now: number): ImportedHere {
    return this.#transaction.import(records, now)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    // First, so that a crash below leaves an alarm.
    this.#keepAlarm()
    await this.#tell(this.#transaction.untold.due(Date.now(), MAX_TOLD))
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

  /** The lists of creators have a write before its answer, so that its author finds it there. The write stands without. */
  async #told<T>(bucket: number, hash: string, outcome: T): Promise<T> {
    const row = this.#transaction.records.row(bucket, hash)
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
  }
}
