import { VersionedObject } from '@svc/objects'
import { objectsIn } from '@svc/service'
import type { NewClaim } from './claims.ts'
import { type DisputesHere, type FoundHere, type HistoryQuery, type KeptHistory, StoreReading } from './reading.ts'
import type { NewAct } from './records.ts'
import type { KeptRecord, SnapshotRow } from './rows.ts'
import { CONSENT_STORE } from './schema.ts'
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

/**
 * A store of whole buckets: their records with all acts and claims. Named by its placement, `consent/s00` and so on. What
 * it answers and writes depends on its own rows alone: a caller with an old placement is refused.
 */
export class ConsentStoreObject extends VersionedObject<Env> {
  static override readonly schemas = [CONSENT_STORE]
  readonly #transaction: StoreTransaction
  readonly #reading: StoreReading

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#transaction = new StoreTransaction(this.stored, ctx.id.name ?? '')
    this.#reading = new StoreReading(this.stored, this.#transaction)
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

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    await this.#tell(this.#transaction.untold.due(Date.now(), MAX_TOLD))
    this.#keepAlarm()
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
        const haveArrived = await creators
          .getByName(did)
          .take(some.map(({ holding }) => holding))
          .then(() => true)
          .catch(() => false)
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
