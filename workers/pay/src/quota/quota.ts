/**
 * The law of the meters: what counts in which month, what fits under a limit, and what may follow what under one key.
 *
 * @module
 */
import type { QuotaReceiptStatement, Reservation } from '@svc/protocol/quota'
import { type QuotaKind, TIER_LIMITS, type Tier } from '@svc/protocol/tiers'

/** Rows of some 200 bytes: 200 MB of the 10 GB of an object, and more than any tier uses in a month. */
export const MAX_KEYS = 1_000_000
/** How long the keys of a month are remembered beyond it, so that a retry over its end is still a retry. */
export const KEPT_BEYOND_MS = 24 * 3_600_000
/** The meters of provenance: an owner reads them and moves them by registering alone. */
export const INTERNAL_KINDS: ReadonlySet<QuotaKind> = new Set(['capsule'])

/** The calendar month of a time, UTC. */
export function periodOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}

/** When it ends. */
export function periodEnd(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The oldest month whose keys are still remembered. */
export function oldestKept(now: number): string {
  return periodOf(now - KEPT_BEYOND_MS)
}

export interface MeterState {
  readonly used: number
  readonly reserved: number
}

export interface Exhausted {
  readonly reason: 'quota_exhausted'
  readonly kind: QuotaKind
  readonly used: number
  readonly limit: number
  readonly tier: Tier
}

export function limitOf(tier: Tier, kind: QuotaKind): number {
  return TIER_LIMITS[tier][kind]
}

/** Null when the amount fits: what is held for others counts as used. */
export function checkRoom(
  { used, reserved }: MeterState,
  kind: QuotaKind,
  amount: number,
  tier: Tier,
): Exhausted | null {
  const limit = limitOf(tier, kind)
  return used + reserved + amount <= limit
    ? null
    : { reason: 'quota_exhausted', kind, used: used + reserved, limit, tier }
}

/** One use as it is remembered. `public` keys are the owner's, `internal` ones those of provenance. */
export type Origin = 'public' | 'internal'
export type UseState = 'consumed' | 'refunded' | 'reduced' | 'reserved' | 'finalized' | 'released' | 'expired'

export interface Use {
  readonly origin: Origin
  readonly key: string
  readonly kind: QuotaKind
  readonly amount: number
  readonly period: string
  readonly state: UseState
  /** When a reservation ends by itself; 0 for any other use. */
  readonly expiresAt: number
  /** What was said when it was consumed, and when it was reversed. */
  readonly receipt: string | null
  readonly reversal: string | null
}

/** How a reservation stands; one whose time is over has expired, though no alarm has said so yet. */
export function reservationState(
  { state, expiresAt }: Pick<Use, 'state' | 'expiresAt'>,
  now: number,
): Reservation['state'] {
  switch (state) {
    case 'finalized':
    case 'released':
    case 'expired':
      return state
    case 'reserved':
      return expiresAt > now ? 'reserved' : 'expired'
    case 'consumed':
    case 'refunded':
    case 'reduced':
      throw new Error('a consumption is no reservation')
  }
}

/** Whether a key that was used before is used for the same again. */
export function isSameUse(use: Pick<Use, 'kind' | 'amount'>, kind: QuotaKind, amount: number): boolean {
  return use.kind === kind && use.amount === amount
}

/** What a receipt says besides whose it is. */
export type ReceiptFacts = Omit<QuotaReceiptStatement, 'type' | 'did'>
