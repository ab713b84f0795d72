import type { ObjectStorage } from '@svc/objects'
import { sha3_384 } from '#pqc/sha3'

/** For the `facts` of every schema with nonces. */
export const NONCE_FACTS = ['noncesForgotten'] as const
/** The same for objects that can be rebuilt. */
export const REBUILT_NONCE_FACTS = [...NONCE_FACTS, 'noncesFrom'] as const

const HOUR_MS = 3_600_000
const NAME_BYTES = 16
/** A nonce is kept no longer than this after it was issued. */
const MAX_KEPT_MS = 70 * 60_000

/** `expired` includes what may have been spent and forgotten. */
export type NonceStanding = 'fresh' | 'replay' | 'expired'

/** What storage holds. */
interface Tables {
  /** One for each hour of `keepUntil` in which a nonce was spent. */
  readonly hours: readonly number[]
  /** Everything before this time may have been dropped. */
  readonly forgotten: number
  /** Everything issued until this time may have been spent, in an object that was lost. */
  readonly from: number
}

/**
 * Spent nonces in one object's SQLite. Named by signer and nonce, so that one signer cannot use up another's.
 *
 * A nonce is kept until its assertion can no longer be accepted anywhere (expiry plus skew). Later assertions are
 * refused here, too; otherwise two copies verified just before that time and arriving just after it would both be
 * accepted.
 *
 * An object that was rebuilt has none of its nonces, so it refuses whatever was issued before.
 *
 * Each hour of `keepUntil` has a table, made for its first nonce and dropped whole once the hour is over. Assertions are
 * kept for at most 70 minutes, so at most three tables are live. Whatever was dropped is refused as expired, even if the
 * clock is set back.
 */
export class NonceStore {
  readonly #stored: ObjectStorage
  /** A copy, read on first use and after a roll-back. */
  #tables: Tables | null = null

  constructor(stored: ObjectStorage) {
    this.#stored = stored
    stored.onUndone(() => {
      this.#tables = null
    })
  }

  /** Spends a nonce inside the caller's transaction. Writes one row, and two more for the first nonce of an hour. */
  spend(
    signer: string,
    nonce: string,
    keepUntil: number,
    now: number,
    issuedAt?: number,
  ): 'spent' | 'replay' | 'expired' {
    this.dropEnded(now)
    const name = nameOf(signer, nonce)
    const standing = this.#standing(name, keepUntil, now, issuedAt)
    if (standing !== 'fresh') return standing
    this.#stored.sql.exec(`INSERT INTO ${this.#tableOf(hourOf(keepUntil))} (name) VALUES (?)`, name)
    return 'spent'
  }

  /** What spending it would find. */
  standing(signer: string, nonce: string, keepUntil: number, now: number): NonceStanding {
    return this.#standing(nameOf(signer, nonce), keepUntil, now)
  }

  /** Refuses from now on what was issued until this time. Call inside a transaction. */
  startFrom(time: number): void {
    this.#stored.facts.put('noncesFrom', Math.max(time, this.#read().from))
    this.#tables = null
  }

  /** Drops the tables whose hours are over. Call inside a transaction. */
  dropEnded(now: number): void {
    const { hours, forgotten, from } = this.#read()
    const ended = hours.filter((hour) => endOf(hour) <= now)
    if (ended.length === 0) return
    for (const hour of ended) this.#stored.sql.exec(`DROP TABLE ${nameOfTable(hour)}`)
    this.#tables = {
      hours: hours.filter((hour) => !ended.includes(hour)),
      forgotten: Math.max(forgotten, ...ended.map(endOf)),
      from,
    }
    this.#stored.facts.put('noncesForgotten', this.#tables.forgotten)
  }

  /** When the last table may be dropped, or since when there is none. */
  lastEnd(): number {
    const { hours, forgotten } = this.#read()
    return Math.max(forgotten, ...hours.map(endOf))
  }

  #standing(
    name: Uint8Array,
    keepUntil: number,
    now: number,
    issuedAt: number = keepUntil - MAX_KEPT_MS,
  ): NonceStanding {
    const { hours, forgotten, from } = this.#read()
    if (keepUntil <= now || keepUntil < forgotten || issuedAt <= from) return 'expired'
    // One by one: a clock that was ahead leaves more tables than one statement may name.
    const isSpent = (hour: number) =>
      this.#stored.sql.exec(`SELECT 1 FROM ${nameOfTable(hour)} WHERE name = ?`, name).toArray().length > 0
    return hours.some(isSpent) ? 'replay' : 'fresh'
  }

  #tableOf(hour: number): string {
    const { hours, forgotten, from } = this.#read()
    const table = nameOfTable(hour)
    if (!hours.includes(hour)) {
      this.#stored.sql.exec(`CREATE TABLE ${table} (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID`)
      this.#tables = { hours: [...hours, hour], forgotten, from }
    }
    return table
  }

  #read(): Tables {
    this.#tables ??= {
      hours: this.#stored.tableNames('nonces_[0-9]*').map((table) => Number(table.slice('nonces_'.length))),
      forgotten: this.#stored.facts.get<number>('noncesForgotten') ?? 0,
      from: this.#stored.facts.get<number>('noncesFrom') ?? Number.NEGATIVE_INFINITY,
    }
    return this.#tables
  }
}

const hourOf = (time: number) => Math.floor(time / HOUR_MS)
const endOf = (hour: number) => (hour + 1) * HOUR_MS
const nameOfTable = (hour: number) => `nonces_${hour}`

/** 128 bits: using up the nonce of another signer takes a second preimage of a nonce that was not sent yet. */
function nameOf(signer: string, nonce: string): Uint8Array {
  return sha3_384(new TextEncoder().encode(`${signer.length}:${signer}${nonce}`)).slice(0, NAME_BYTES)
}
