import { DurableObject } from 'cloudflare:workers'
import type { Meter, Reservation } from '@svc/protocol/quota'
import type { Result } from '@svc/protocol/result'
import { EntitlementStore } from '../entitlements/entitlement-store.ts'
import { effectiveTier, type StoredGrant } from '../entitlements/entitlements.ts'
import type { ReceiptFacts } from './quota.ts'
import {
  type ConsumeRefusal,
  QuotaSession,
  type ReserveRefusal,
  type Reversal,
  type ReverseRefusal,
  type SettleRefusal,
  type Units,
} from './quota-session.ts'

/** How long an object believes what it has read of grants, should nobody tell it that they have changed. */
const CACHE_MS = 60_000

/**
 * The meters of one identity: what was used in this month, what is held, and under which keys. Named by its DID. It makes
 * its tables with the first use, and is gone when the last key is forgotten. Who may call was decided before each call.
 */
export class QuotaMeterObject extends DurableObject<Env> {
  readonly #session: QuotaSession
  readonly #grants: EntitlementStore
  /** The grants and not the tier: which one is in force depends on the moment. Read again from D1 when it is old. */
  #cached: { readonly grants: StoredGrant[]; readonly until: number } | null = null
  /** Counts changes of grants, so that what was read before one is not kept after it. */
  #changes = 0
  /** What the alarm is known to be set to; a restarted object sets it again. */
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#session = new QuotaSession(ctx.storage)
    this.#grants = new EntitlementStore(env.DB)
  }

  async meters(did: string): Promise<Meter[]> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#session.meters(effectiveTier(grants, now), now)
  }

  async consume(did: string, units: Units): Promise<Result<ReceiptFacts, ConsumeRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#keepAlarm(this.#session.consume(units, effectiveTier(grants, now), now))
  }

  async reverse(did: string, reversal: Reversal): Promise<Result<ReceiptFacts, ReverseRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#session.reverse(reversal, effectiveTier(grants, now), now)
  }

  async reserve(did: string, units: Units, ttlMs: number): Promise<Result<Reservation, ReserveRefusal>> {
    const grants = await this.#standing(did)
    const now = Date.now()
    return this.#keepAlarm(this.#session.reserve(units, now + ttlMs, effectiveTier(grants, now), now))
  }

  settle(key: string, to: 'finalized' | 'released'): Result<Reservation, SettleRefusal> {
    return this.#session.settle(key, to, Date.now())
  }

  /** What the identity is entitled to has changed. */
  entitlementChanged(): void {
    this.#changes += 1
    this.#cached = null
  }

  /** Idempotent: ends and forgets what storage says is over. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    const now = Date.now()
    const isMore = this.#session.tidy(now)
    if (isMore) return this.ctx.storage.setAlarm(now)
    if (!this.#session.isIdle) {
      this.#keepAlarm(null)
      return
    }
    this.#session.forgetTables()
    await this.ctx.storage.deleteAll()
  }

  async #standing(did: string): Promise<StoredGrant[]> {
    const now = Date.now()
    if (this.#cached && now < this.#cached.until) return this.#cached.grants
    const changes = this.#changes
    const grants = await this.#grants.current(did, now)
    if (changes === this.#changes) this.#cached = { grants, until: now + CACHE_MS }
    return grants
  }

  /** Not awaited: the output gate holds the answer until the alarm is as durable as the rest. */
  #keepAlarm<T>(result: T): T {
    const at = this.#session.nextAlarm(Date.now())
    if (at !== null && (this.#alarmAt === null || at < this.#alarmAt)) {
      this.#alarmAt = at
      void this.ctx.storage.setAlarm(at)
    }
    return result
  }
}
