/**
 * The rules of the meters: what counts in which month, what fits under a limit, and what may follow under the same key.
 *
 * @module
 */
import type { QuotaReceiptStatement, Reservation } from '@svc/protocol/pay/quota'
import { type QuotaKind, TIER_LIMITS, type Tier } from '@svc/protocol/pay/tiers'

/** Rows of some 200 bytes: 200 MB of the 10 GB of an object, and more than any tier uses in a month. */
export const MAX_KEYS = 1_000_000
/** How long the keys of a month are kept after it, so that a retry across its end is still a retry. */
export const KEPT_BEYOND_MS = 24 * 3_600_000
/** The meters of provenance: owners can read them, but only registrations count. */
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

/** The oldest month whose keys are still kept. */
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

/** Null if the amount fits: reservations count as used. */
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

/** One use as stored. `public` keys are the owner's, `internal` ones those of provenance. */
export type Origin = 'public' | 'internal'
export type UseState = 'consumed' | 'refunded' | 'reduced' | 'reserved' | 'finalized' | 'released' | 'expired'

export interface Use {
  readonly origin: Origin
  readonly key: string
  readonly kind: QuotaKind
  readonly amount: number
  readonly period: string
  readonly state: UseState
  /** When a reservation expires; 0 for any other use. */
  readonly expiresAt: number
  /** The receipts of the consumption and of its reversal. */
  readonly receipt: string | null
  readonly reversal: string | null
}

/** The state of a reservation; it has expired once its time is over, even before an alarm says so. */
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
      throw new Error('a consumption cannot be a reservation')
  }
}

/** Whether a key is being used again for the same request. */
export function isSameUse(use: Pick<Use, 'kind' | 'amount'>, kind: QuotaKind, amount: number): boolean {
  return use.kind === kind && use.amount === amount
}

/** The content of a receipt, except whose it is and for which deployment. */
export type ReceiptFacts = Omit<QuotaReceiptStatement, 'type' | 'realm' | 'did'>
