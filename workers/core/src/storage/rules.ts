/**
 * What the records of an identity count towards its budget, and whether one more fits.
 *
 * @module
 */
import { type Budget, TIER_BUDGETS, type Tier } from '@svc/protocol/pay/tiers'

export const KEPT_KINDS = ['chain', 'devices', 'notes', 'pins', 'assets', 'anchors'] as const
export type KeptKind = (typeof KEPT_KINDS)[number]

/** Each record counts this beside its own bytes: its row, its index entries and what refers to it. */
export const RECORD_BYTES = 1_024
/** A block with its signature, and its entry in the index. */
export const BLOCK_ROOM: Room = { bytes: 8_192, rows: 1 }
/** An entry of a vault's log, which outlives its note. */
export const LOG_ENTRY_BYTES = 256
/** A vault leases room in these steps. */
export const LEASE_STEP: Room = { bytes: 8 * 1024 * 1024, rows: 500 }

/** What a tier, once asked for, is taken for without asking again. */
export const TIER_AGE_MS = 60_000

export interface Room {
  readonly bytes: number
  readonly rows: number
}

export interface BudgetRefusal {
  readonly reason: 'budget_exhausted'
  readonly did: string
  readonly budget: Extract<Budget, 'storedBytes' | 'storedRows'>
  readonly used: number
  readonly limit: number
  readonly tier: Tier
}

export const NO_ROOM: Room = { bytes: 0, rows: 0 }

export function blockRoom(payloadBytes: number): Room {
  return plus(BLOCK_ROOM, { bytes: payloadBytes, rows: 0 })
}

export function plus(a: Room, b: Room): Room {
  return { bytes: a.bytes + b.bytes, rows: a.rows + b.rows }
}

export function minus(a: Room, b: Room): Room {
  return { bytes: a.bytes - b.bytes, rows: a.rows - b.rows }
}

export function covers(a: Room, b: Room): boolean {
  return a.bytes >= b.bytes && a.rows >= b.rows
}

/** The least number of whole steps that holds this much. */
export function stepped({ bytes, rows }: Room): Room {
  return {
    bytes: Math.ceil(bytes / LEASE_STEP.bytes) * LEASE_STEP.bytes,
    rows: Math.ceil(rows / LEASE_STEP.rows) * LEASE_STEP.rows,
  }
}

/** Null if as much fits; what takes no more room always does. */
export function budgetFault(
  used: Room,
  added: Room,
  { did, tier }: { readonly did: string; readonly tier: Tier },
): BudgetRefusal | null {
  const { storedBytes, storedRows } = TIER_BUDGETS[tier]
  const refusal = { reason: 'budget_exhausted', did, tier } as const
  if (added.bytes > 0 && used.bytes + added.bytes > storedBytes) {
    return { ...refusal, budget: 'storedBytes', used: used.bytes, limit: storedBytes }
  }
  if (added.rows > 0 && used.rows + added.rows > storedRows) {
    return { ...refusal, budget: 'storedRows', used: used.rows, limit: storedRows }
  }
  return null
}
