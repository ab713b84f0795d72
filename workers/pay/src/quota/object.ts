import type { Result } from '@svc/protocol/base/result'
import type { Meter, Reservation } from '@svc/protocol/pay/quota'
import { RecordedObject } from '@svc/service/recorded-object'
import type { StoredGrant } from '../entitlements/rules.ts'
import { standingOf } from '../entitlements/standing.ts'
import { EntitlementStore } from '../entitlements/store.ts'
import type { ReceiptFacts } from './rules.ts'
import { METER_RECORDS, QUOTA_METER } from './schema.ts'
import {
  type ConsumeRefusal,
  QuotaTransaction,
  type ReservedUnits,
  type ReserveRefusal,
  type Reversal,
  type ReverseRefusal,
  type SettleRefusal,
  type Units,
} from './transaction.ts'

/** How long an object uses the grants it has read, if nobody tells it that they changed. */
const CACHE_MS = 60_000

/**
 * The meters of one identity: what was used this month, what is reserved, and under which keys. Named by its DID. It
 * creates its tables with the first use, and deletes everything with the last key. Callers are authorized before each call.
 */
export class QuotaMeterObject extends RecordedObject<Env> {
  static override readonly schemas = [QUOTA_METER]
  static override readonly records = { objects: 'meters', plan: METER_RECORDS } as const
  readonly #transaction: QuotaTransaction
  readonly #grants: EntitlementStore
  /** The grants rather than the tier, which depends on the time. Read from D1 again when they are old. */
  #cached: { readonly grants: StoredGrant[]; readonly until: number } | null = null
  /** Counts changes of grants, so that grants read before a change are not kept after it. */
  #changes = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#transaction = new QuotaTransaction(this.stored)
    this.#grants = new EntitlementStore(env.DB, env.CONTROL_DB)
  }

  async meters(did: string): Promise<Meter[]> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#transaction.meters(standingOf(grants, now).tier, now)
  }

  async consume(did: string, units: Units): Promise<Result<ReceiptFacts, ConsumeRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    const consumed = this.#transaction.consume(units, standingOf(grants, now).tier, now)
    this.#transaction.keepAlarm(now)
    return consumed
  }

  async reverse(did: string, reversal: Reversal): Promise<Result<ReceiptFacts, ReverseRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#transaction.reverse(reversal, standingOf(grants, now).tier, now)
  }

  async reserve(did: string, units: ReservedUnits, ttlMs: number): Promise<Result<Reservation, ReserveRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    const reserved = this.#transaction.reserve(units, now + ttlMs, standingOf(grants, now).tier, now)
    this.#transaction.keepAlarm(now)
    return reserved
  }

  settle(
    key: string,
    to: 'finalized' | 'released',
    earlierKeys: readonly string[] = [],
  ): Result<Reservation, SettleRefusal> {
    return this.#transaction.settle([key, ...earlierKeys], to, Date.now())
  }

  /** Called when the identity's entitlements have changed. */
  entitlementChanged(): void {
    this.#changes += 1
    this.#cached = null
  }

  /** Idempotent: ends and deletes what has expired. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    const now = Date.now()
    const isMore = this.#transaction.tidy(now)
    if (isMore) await this.stored.alarm.by(now)
    else if (this.#transaction.isIdle) await this.end(() => this.#transaction.isIdle)
    this.#transaction.keepAlarm(now)
    await this.keepRecords()
  }

  async #standing(did: string): Promise<StoredGrant[]> {
    const now = Date.now()
    if (this.#cached && now < this.#cached.until) return this.#cached.grants
    const changes = this.#changes
    const grants = await this.#grants.current(did, now)
    if (changes === this.#changes) this.#cached = { grants, until: now + CACHE_MS }
    return grants
  }
}
