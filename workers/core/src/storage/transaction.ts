/**
 * The budget of an identity, inside its object: what the identity keeps here is counted in the transaction that writes
 * it; what is kept elsewhere is counted before it is written there.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Tier } from '@svc/protocol/pay/tiers'
import { type BudgetRefusal, budgetFault, type KeptKind, minus, RECORD_BYTES, type Room } from './rules.ts'
import { KeptStore } from './store.ts'

/** One record that is kept elsewhere, under a name that no other record of the identity has. */
export interface KeptItem {
  readonly kind: KeptKind
  readonly item: string
  readonly bytes: number
}

/** How much a vault leases in all. A later demand of a vault has a higher `seq`. */
export interface LeaseDemand {
  readonly kind: KeptKind
  readonly seq: number
  /** The least that is of use. */
  readonly needed: Room
  readonly wanted: Room
}

/** What is granted, or null if a demand with this number was answered before. */
export interface LeaseAnswer {
  readonly seq: number
  readonly granted: Room | null
}

export interface KeptReading {
  readonly tier: Tier
  readonly byKind: { readonly [K in KeptKind]: Room }
}

/** A record that was noted this long ago, and is not there, was never written. */
const WRITTEN_WITHIN_MS = 3_600_000

export class StorageTransaction {
  readonly #stored: ObjectStorage
  readonly #kept: KeptStore

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    this.#kept = new KeptStore(stored)
  }

  /** Call in the transaction that writes the record. */
  count(did: string, kind: KeptKind, room: Room): Result<void, BudgetRefusal> {
    const fault = this.fault(did, room)
    if (fault) return err(fault)
    this.#kept.add(kind, room)
    return ok(undefined)
  }

  /** The same for what must be written whether it fits or not. */
  countAnyway(kind: KeptKind, room: Room): void {
    this.#kept.add(kind, room)
  }

  fault(did: string, added: Room): BudgetRefusal | null {
    return budgetFault(this.#kept.total(), added, { did, tier: this.#kept.tier(Date.now()) })
  }

  /** Idempotent: an item counts once. `isNew` says whether this call counted it. */
  keep(did: string, { kind, item, bytes }: KeptItem): Result<{ readonly isNew: boolean }, BudgetRefusal> {
    return this.#stored.transact((): Result<{ readonly isNew: boolean }, BudgetRefusal> => {
      if (this.#kept.has(kind, item)) return ok({ isNew: false })
      const room = { bytes: bytes + RECORD_BYTES, rows: 1 }
      const fault = this.fault(did, room)
      if (fault) return err(fault)
      this.#kept.addItem(kind, item, room.bytes, Date.now())
      return ok({ isNew: true })
    })
  }

  release(kind: KeptKind, item: string): void {
    this.#stored.transact(() => this.#kept.removeItem(kind, item))
  }

  /** Gives back what a crash left counted: all that is not listed, unless it may be on its way still. */
  retain(kind: KeptKind, items: readonly string[], now: number): void {
    this.#stored.transact(() => this.#kept.removeOthers(kind, items, now - WRITTEN_WITHIN_MS))
  }

  /** Sets what a vault leases. A demand that a later one has overtaken changes nothing. */
  lease(did: string, { kind, seq, needed, wanted }: LeaseDemand): Result<LeaseAnswer, BudgetRefusal> {
    return this.#stored.transact((): Result<LeaseAnswer, BudgetRefusal> => {
      const last = this.#kept.leaseSeq(kind)
      if (seq <= last) return ok({ seq: last, granted: null })
      const held = this.#kept.ofKind(kind)
      const granted = this.fault(did, minus(wanted, held)) ? needed : wanted
      const fault = this.fault(did, minus(granted, held))
      if (fault) return err(fault)
      this.#kept.add(kind, minus(granted, held))
      this.#kept.putLeaseSeq(kind, seq)
      return ok({ seq, granted })
    })
  }

  entitle(tier: Tier, until: number): void {
    this.#stored.transact(() => this.#kept.putTier(tier, until))
  }

  reading(): KeptReading {
    return { tier: this.#kept.tier(Date.now()), byKind: this.#kept.byKind() }
  }
}
