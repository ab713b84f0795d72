/**
 * What every transaction of a meter does. The object only carries calls here, knows the tier and keeps the alarm.
 *
 * @module
 */
import type { Meter, Reservation } from '@svc/protocol/quota'
import { err, ok, type Result } from '@svc/protocol/result'
import { QUOTA_KINDS, type QuotaKind, type Tier } from '@svc/protocol/tiers'
import {
  checkRoom,
  type Exhausted,
  isSameUse,
  KEPT_BEYOND_MS,
  limitOf,
  MAX_KEYS,
  oldestKept,
  periodEnd,
  periodOf,
  type ReceiptFacts,
  reservationState,
  type Use,
} from './quota.ts'
import { QuotaStore } from './quota-store.ts'

export type ReserveRefusal = Exhausted | { readonly reason: 'idempotency_conflict' | 'quota_key_limit' }
export type ConsumeRefusal = ReserveRefusal | { readonly reason: 'quota_reversed' }
export type ReverseRefusal = {
  readonly reason: 'not_found' | 'meter_internal' | 'idempotency_conflict' | 'quota_reversed'
}
export type SettleRefusal = { readonly reason: 'not_found' } | { readonly reason: 'reservation_ended' }

export interface Units {
  readonly kind: QuotaKind
  readonly amount: number
  readonly key: string
}
export type Reversal =
  | { readonly operation: 'refund'; readonly key: string }
  | ({ readonly operation: 'delta' } & Units)

/** Uses that one alarm forgets: a few hundred milliseconds. */
const FORGOTTEN_AT_ONCE = 5_000

export class QuotaSession {
  readonly #storage: DurableObjectStorage
  readonly #store: QuotaStore
  /** Whether the first use has made the tables; read from storage when the object starts. */
  #exists: boolean
  /** How many keys are remembered; counted when it is first asked for. */
  #keys: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#store = new QuotaStore(storage.sql)
    this.#exists = this.#store.exists()
  }

  meters(tier: Tier, now: number): Meter[] {
    const period = periodOf(now)
    return QUOTA_KINDS.map((kind) => {
      const state = this.#exists ? this.#store.meter(kind, period, now) : { used: 0, reserved: 0 }
      return { kind, ...state, limit: limitOf(tier, kind), period, tier }
    })
  }

  /**
   * One check and increment. The same key again is the receipt of the first time; of what was given back there is none any
   * more, or one unit would serve for ever.
   */
  consume({ kind, amount, key }: Units, tier: Tier, now: number): Result<ReceiptFacts, ConsumeRefusal> {
    return this.#transact((): Result<ReceiptFacts, ConsumeRefusal> => {
      const before = this.#find('public', key)
      if (before?.receipt != null) {
        if (!isSameUse(before, kind, amount)) return err({ reason: 'idempotency_conflict' })
        return before.reversal === null ? ok(factsOf(before.receipt)) : err({ reason: 'quota_reversed' })
      }
      const refusal = this.#room(kind, amount, tier, now)
      if (refusal) return err(refusal)
      this.#begin()
      const period = periodOf(now)
      const used = this.#store.move(kind, period, amount)
      const limit = limitOf(tier, kind)
      const facts = { operation: 'consume', key, kind, amount, used, limit, tier, period, issuedAt: now } as const
      this.#remember({
        origin: 'public',
        key,
        kind,
        amount,
        period,
        state: 'consumed',
        expiresAt: 0,
        receipt: JSON.stringify(facts),
        reversal: null,
      })
      return ok(facts)
    })
  }

  /** Takes a consumption of the owner's own back, once: whole, or a part of it. In the month in which it counted. */
  reverse(reversal: Reversal, tier: Tier, now: number): Result<ReceiptFacts, ReverseRefusal> {
    return this.#transact((): Result<ReceiptFacts, ReverseRefusal> => {
      const { operation, key } = reversal
      const use = this.#find('public', key)
      if (!use) return err({ reason: this.#find('internal', key) ? 'meter_internal' : 'not_found' })
      const { kind, period } = use
      const amount = operation === 'refund' ? use.amount : reversal.amount
      if (operation === 'delta' && (reversal.kind !== kind || amount > use.amount)) {
        return err({ reason: 'idempotency_conflict' })
      }
      if (use.reversal !== null) {
        const done = factsOf(use.reversal)
        return done.operation === operation && done.amount === amount ? ok(done) : err({ reason: 'quota_reversed' })
      }
      const used = this.#store.move(kind, period, -amount)
      const facts = { operation, key, kind, amount, used, limit: limitOf(tier, kind), tier, period, issuedAt: now }
      const state = operation === 'refund' ? 'refunded' : 'reduced'
      this.#store.put({ ...use, state, reversal: JSON.stringify(facts) })
      return ok(facts)
    })
  }

  /** Holds units for a use that may fail. Of a use that was finalized before nothing is held: it costs nothing more. */
  reserve(
    { kind, amount, key }: Units,
    expiresAt: number,
    tier: Tier,
    now: number,
  ): Result<Reservation, ReserveRefusal> {
    return this.#transact((): Result<Reservation, ReserveRefusal> => {
      const before = this.#find('internal', key)
      const state = before && reservationState(before, now)
      if (before && (state === 'reserved' || state === 'finalized')) {
        return isSameUse(before, kind, amount)
          ? ok({ state, kind, amount, expiresAt: before.expiresAt })
          : err({ reason: 'idempotency_conflict' })
      }
      const refusal = this.#room(kind, amount, tier, now)
      if (refusal) return err(refusal)
      this.#begin()
      const period = periodOf(now)
      const held = { origin: 'internal', key, kind, amount, period, state: 'reserved', expiresAt } as const
      this.#remember({ ...held, receipt: null, reversal: null }, before !== null)
      return ok({ state: 'reserved', kind, amount, expiresAt })
    })
  }

  /** Turns what is held into use, or lets go of it. Again gives the same; the other one is refused. */
  settle(key: string, to: 'finalized' | 'released', now: number): Result<Reservation, SettleRefusal> {
    return this.#transact((): Result<Reservation, SettleRefusal> => {
      const use = this.#find('internal', key)
      if (!use) return err({ reason: 'not_found' })
      const { kind, amount, expiresAt, period } = use
      const state = reservationState(use, now)
      const told = (shown: Reservation['state']) => ok({ state: shown, kind, amount, expiresAt })
      if (state === to) return told(state)
      // What has expired is let go of already.
      if (state === 'expired' && to === 'released') return told(state)
      if (state !== 'reserved') return err({ reason: 'reservation_ended' })
      if (to === 'finalized') this.#store.move(kind, period, amount)
      this.#store.put({ ...use, state: to })
      return told(to)
    })
  }

  /** When there is something to do next; null when there is nothing at all. */
  nextAlarm(now: number): number | null {
    if (!this.#exists) return null
    const expiry = this.#store.earliestExpiry()
    const forgetting = periodEnd(now) + KEPT_BEYOND_MS
    return expiry === null ? forgetting : Math.min(expiry, forgetting)
  }

  /** Ends what has expired and forgets what is old. True when there is more to forget; may be run at any time. */
  tidy(now: number): boolean {
    if (!this.#exists) return false
    const forgotten = this.#storage.transactionSync(() => {
      this.#store.releaseExpired(now)
      return this.#store.forget(oldestKept(now), FORGOTTEN_AT_ONCE)
    })
    this.#keys = null
    return forgotten === FORGOTTEN_AT_ONCE
  }

  /** Whether nothing is remembered any more, so that the object may go. */
  get isIdle(): boolean {
    return !this.#exists || this.#store.isEmpty()
  }

  forgetTables(): void {
    this.#exists = false
    this.#keys = null
  }

  #transact<T>(work: () => T): T {
    const keys = this.#keys
    const existed = this.#exists
    try {
      return this.#storage.transactionSync(work)
    } catch (error) {
      this.#keys = keys
      this.#exists = existed
      throw error
    }
  }

  #find(origin: Use['origin'], key: string): Use | null {
    return this.#exists ? this.#store.find(origin, key) : null
  }

  #room(kind: QuotaKind, amount: number, tier: Tier, now: number): ReserveRefusal | null {
    const state = this.#exists ? this.#store.meter(kind, periodOf(now), now) : { used: 0, reserved: 0 }
    const exhausted = checkRoom(state, kind, amount, tier)
    if (exhausted) return exhausted
    if (this.#exists) this.#keys ??= this.#store.countKeys()
    return (this.#keys ?? 0) < MAX_KEYS ? null : { reason: 'quota_key_limit' }
  }

  #begin(): void {
    if (this.#exists) return
    this.#store.createTables()
    this.#exists = true
    this.#keys = 0
  }

  #remember(use: Use, isKnown = false): void {
    this.#store.put(use)
    if (!isKnown) this.#keys = (this.#keys ?? 0) + 1
  }
}

function factsOf(text: string): ReceiptFacts {
  return JSON.parse(text) as ReceiptFacts
}
