import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type BudgetRefusal, covers, NO_ROOM, plus, type Room, stepped } from '../storage/rules.ts'
import type { LeaseAnswer, LeaseDemand } from '../storage/transaction.ts'
import { NOTE_VAULT } from './schema.ts'

interface Row {
  [column: string]: SqlStorageValue
  did: string
  seq: number
  bytes: number
  rows: number
  told: number
}

/** A vault needs this much in all, and leases less. */
export interface LeaseShort {
  readonly reason: 'lease_short'
  readonly needed: Room
}

/** Asks the identity of a vault. */
export type Lessor = (did: string, demand: LeaseDemand) => Promise<Result<LeaseAnswer, BudgetRefusal>>

/**
 * The room that a vault leases from the budget of its identity, in steps, so that a write within it asks nobody. The
 * identity never holds less for a vault than the vault may use: what grows is granted there first, what shrinks is
 * given up here first, and a demand that arrives late is known by its number.
 */
export class VaultLease {
  readonly #stored: ObjectStorage
  readonly #lessor: Lessor
  #demanding: Promise<unknown> | null = null

  constructor(stored: ObjectStorage, lessor: Lessor) {
    this.#stored = stored
    this.#lessor = lessor
  }

  /** Null if the vault can use this much in all. */
  fault(needed: Room): LeaseShort | null {
    return covers(this.#row() ?? NO_ROOM, needed) ? null : { reason: 'lease_short', needed }
  }

  /** Does the work, and leases more for as long as that is all it lacks. */
  async extendedFor<T, E extends { readonly reason: string }>(
    did: string,
    work: () => Result<T, E | LeaseShort>,
  ): Promise<Result<T, Exclude<E, LeaseShort> | BudgetRefusal>> {
    for (;;) {
      const outcome = work()
      if (outcome.ok) return outcome
      const { error } = outcome
      if (!isShort(error)) return err(error as Exclude<E, LeaseShort>)
      if (this.#demanding) await this.#demanding
      else {
        const granted = await this.#inTurn(() => this.#demand(did, error.needed, stepped(error.needed)))
        if (!granted.ok) return granted
      }
    }
  }

  /** Gives back what is not used, but for one step. */
  async giveBack(used: Room): Promise<void> {
    const row = this.#row()
    if (!row || this.#demanding) return
    const enough = plus(stepped(used), stepped({ bytes: 1, rows: 1 }))
    const kept = { bytes: Math.min(row.bytes, enough.bytes), rows: Math.min(row.rows, enough.rows) }
    if (covers(kept, row) && row.told === 1) return
    this.#put({ ...row, ...kept, told: 0 })
    await this.#inTurn(() => this.#demand(row.did, kept, kept))
  }

  #inTurn<T>(demand: () => Promise<T>): Promise<T> {
    const demanding = demand().finally(() => {
      this.#demanding = null
    })
    this.#demanding = demanding
    return demanding
  }

  async #demand(did: string, needed: Room, wanted: Room): Promise<Result<void, BudgetRefusal>> {
    const row = this.#row() ?? { did, seq: 0, ...NO_ROOM, told: 0 }
    const seq = row.seq + 1
    if (row.seq > 0) this.#put({ ...row, seq })
    const answer = await this.#lessor(did, { kind: 'notes', seq, needed, wanted })
    if (!answer.ok) return answer
    const { granted } = answer.value
    // The numbers of a vault that was lost and begun again are behind.
    if (granted) this.#put({ did, seq, ...granted, told: 1 })
    else this.#put({ ...row, seq: answer.value.seq })
    return ok(undefined)
  }

  #row(): Row | null {
    if (!this.#stored.exists) return null
    return this.#stored.sql.exec<Row>('SELECT did, seq, bytes, rows, told FROM lease').toArray()[0] ?? null
  }

  #put({ did, seq, bytes, rows, told }: Pick<Row, 'did' | 'seq' | 'bytes' | 'rows' | 'told'>): void {
    this.#stored.transact(() => {
      this.#stored.create(NOTE_VAULT)
      this.#stored.sql.exec(
        'INSERT OR REPLACE INTO lease (id, did, seq, bytes, rows, told) VALUES (0, ?, ?, ?, ?, ?)',
        did,
        seq,
        bytes,
        rows,
        told,
      )
    })
  }
}

function isShort(error: { readonly reason: string }): error is LeaseShort {
  return error.reason === 'lease_short'
}
