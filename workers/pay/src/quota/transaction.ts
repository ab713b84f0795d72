/**
 * The transactions of a meter. The object only forwards calls here, knows the tier and keeps the alarm.
 *
 * @module
 */

import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Meter, Reservation } from '@svc/protocol/pay/quota'
import { QUOTA_KINDS, type QuotaKind, type Tier } from '@svc/protocol/pay/tiers'
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
} from './rules.ts'
import { QUOTA_METER } from './schema.ts'
import { QuotaStore } from './store.ts'

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
/** Units of a sibling, whose key may have been another before its seed changed. */
export interface ReservedUnits extends Units {
  readonly earlierKeys?: readonly string[]
}
export type Reversal =
  | { readonly operation: 'refund'; readonly key: string }
  | ({ readonly operation: 'delta' } & Units)

/** Uses deleted per alarm: takes a few hundred milliseconds. */
const FORGOTTEN_AT_ONCE = 5_000

export class QuotaTransaction {
  readonly #stored: ObjectStorage
  readonly #store: QuotaStore
  /** How many keys are stored; counted on first use. */
  #keys: number | null = null

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#store = new QuotaStore(stored.sql)
    stored.onUndone(() => {
      this.#keys = null
    })
  }

  meters(tier: Tier, now: number): Meter[] {
    const period = periodOf(now)
    return QUOTA_KINDS.map((kind) => {
      const state = this.#stored.exists ? this.#store.meter(kind, period, now) : { used: 0, reserved: 0 }
      return { kind, ...state, limit: limitOf(tier, kind), period, tier }
    })
  }

  /**
   * Atomic check and increment. The same key again returns the original receipt; after a reversal there is none, or one
   * unit could be used forever.
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
      this.#stored.create(QUOTA_METER)
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

  /** Reverses a consumption of the owner, once: all or part of it, in the month in which it was counted. */
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

  /** Reserves units for a use that may fail. For an already finalized use nothing is reserved: it costs nothing more. */
  reserve(
    { kind, amount, key, earlierKeys = [] }: ReservedUnits,
    expiresAt: number,
    tier: Tier,
    now: number,
  ): Result<Reservation, ReserveRefusal> {
    return this.#transact((): Result<Reservation, ReserveRefusal> => {
      const before = this.#standing([key, ...earlierKeys], now)
      const state = before && reservationState(before, now)
      if (before && (state === 'reserved' || state === 'finalized')) {
        return isSameUse(before, kind, amount)
          ? ok({ state, kind, amount, expiresAt: before.expiresAt })
          : err({ reason: 'idempotency_conflict' })
      }
      const refusal = this.#room(kind, amount, tier, now)
      if (refusal) return err(refusal)
      this.#stored.create(QUOTA_METER)
      const period = periodOf(now)
      const held = { origin: 'internal', key, kind, amount, period, state: 'reserved', expiresAt } as const
      this.#remember({ ...held, receipt: null, reversal: null }, this.#find('internal', key) !== null)
      return ok({ state: 'reserved', kind, amount, expiresAt })
    })
  }

  /** Turns a reservation into use, or releases it. Idempotent; the opposite is rejected. */
  settle(keys: readonly string[], to: 'finalized' | 'released', now: number): Result<Reservation, SettleRefusal> {
    return this.#transact((): Result<Reservation, SettleRefusal> => {
      const use = this.#standing(keys, now)
      if (!use) return err({ reason: 'not_found' })
      const { kind, amount, expiresAt, period } = use
      const state = reservationState(use, now)
      const told = (shown: Reservation['state']) => ok({ state: shown, kind, amount, expiresAt })
      if (state === to) return told(state)
      // An expired reservation is already released.
      if (state === 'expired' && to === 'released') return told(state)
      if (state !== 'reserved') return err({ reason: 'reservation_ended' })
      if (to === 'finalized') this.#store.move(kind, period, amount)
      this.#store.put({ ...use, state: to })
      return told(to)
    })
  }

  /** The alarm for what there is to do next. Not awaited: the output gate holds the answer until it is durable. */
  keepAlarm(now: number): void {
    if (!this.#stored.exists) return
    const expiry = this.#store.earliestExpiry()
    const forgetting = periodEnd(now) + KEPT_BEYOND_MS
    void this.#stored.alarm.by(expiry === null ? forgetting : Math.min(expiry, forgetting))
  }

  /** Ends expired reservations and deletes old uses. True if there is more to delete; may run at any time. */
  tidy(now: number): boolean {
    if (!this.#stored.exists) return false
    const forgotten = this.#stored.transact(() => {
      this.#store.releaseExpired(now)
      return this.#store.forget(oldestKept(now), FORGOTTEN_AT_ONCE)
    })
    this.#keys = null
    return forgotten === FORGOTTEN_AT_ONCE
  }

  /** Whether nothing is left, so that the object can be deleted. */
  get isIdle(): boolean {
    return !this.#stored.exists || this.#store.isEmpty()
  }

  /** Recounts what was counted in memory if the transaction failed. */
  #transact<R extends Result<unknown, unknown>>(work: () => R): R {
    try {
      return this.#stored.transact(work)
    } catch (error) {
      this.#keys = null
      throw error
    }
  }

  #find(origin: Use['origin'], key: string): Use | null {
    return this.#stored.exists ? this.#store.find(origin, key) : null
  }

  /** Of the keys of one use, what is held or used under one of them; else the first that ended. */
  #standing(keys: readonly string[], now: number): Use | null {
    const uses = keys.flatMap((key) => this.#find('internal', key) ?? [])
    const isStanding = (use: Use) => ['reserved', 'finalized'].includes(reservationState(use, now))
    return uses.find(isStanding) ?? uses[0] ?? null
  }

  #room(kind: QuotaKind, amount: number, tier: Tier, now: number): ReserveRefusal | null {
    const state = this.#stored.exists ? this.#store.meter(kind, periodOf(now), now) : { used: 0, reserved: 0 }
    const exhausted = checkRoom(state, kind, amount, tier)
    if (exhausted) return exhausted
    if (this.#stored.exists) this.#keys ??= this.#store.countKeys()
    return (this.#keys ?? 0) < MAX_KEYS ? null : { reason: 'quota_key_limit' }
  }

  #remember(use: Use, isKnown = false): void {
    this.#store.put(use)
    if (!isKnown) this.#keys = (this.#keys ?? 0) + 1
  }
}

function factsOf(text: string): ReceiptFacts {
  return JSON.parse(text) as ReceiptFacts
}
