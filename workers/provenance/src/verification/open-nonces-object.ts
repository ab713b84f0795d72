import { DurableObject } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/hash'
import { NONCE_LIFETIME_MS } from '@svc/protocol/signature-check'
import { NAME_BYTES } from './open-nonces.ts'

/** As many names as fill some twenty-five pages. */
const MAX_RECENT = 4_096

/**
 * Nonces of strangers by their names. One is remembered for `NONCE_LIFETIME_MS` at least and for twice that at most:
 * each period of that length has tables of its own, and they go whole once its last nonce may.
 *
 * Names are hashes, so that in a large table each of a hundred would be written to a page of its own. They are written
 * to a small table of the period, and moved from there to its large one in order and many at once.
 */
export class OpenNoncesObject extends DurableObject {
  /** The tables with their rows, by name; read from storage when they are first needed. */
  #tables: Map<string, number> | null = null
  #sweepIsSet = false

  /**
   * Whether each name, one behind the other, was new; of equal ones the first alone. Durable before the answer leaves.
   * Null, and none is spent, where there may be no room for all: whoever floods an object makes it refuse and never
   * grow. No names leave no trace.
   */
  async spend(names: Uint8Array, maxNames: number): Promise<boolean[] | null> {
    if (names.length > 0) await this.#setSweep()
    try {
      return this.ctx.storage.transactionSync(() => this.#spend(hexOf(names), maxNames, Date.now()))
    } catch (error) {
      this.#tables = null
      throw error
    }
  }

  /** Idempotent: drops what has ended, whenever it runs. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepIsSet = false
    this.#dropEnded(Date.now())
    if (this.#load().size > 0) return this.#setSweep()
    await storage.deleteAll()
  }

  #spend(names: readonly string[], maxNames: number, now: number): boolean[] | null {
    this.#dropEnded(now)
    const tables = this.#load()
    const remembered = [...tables.values()].reduce((sum, count) => sum + count, 0)
    if (remembered + names.length > maxNames) return null
    const fresh = new Set(names)
    for (const name of this.#known(fresh)) fresh.delete(name)
    if (fresh.size > 0) this.#insert([...fresh], periodOf(now))
    return names.map((name) => fresh.delete(name))
  }

  #known(names: ReadonlySet<string>): string[] {
    const tables = [...this.#load().keys()]
    if (tables.length === 0 || names.size === 0) return []
    const query = `SELECT value FROM (SELECT value, unhex(value) AS name FROM json_each(?))
      WHERE ${tables.map((table) => `name IN ${table}`).join(' OR ')}`
    const { sql } = this.ctx.storage
    return [...sql.exec<{ value: string }>(query, JSON.stringify([...names]))].map(({ value }) => value)
  }

  #insert(names: readonly string[], period: number): void {
    const { sql } = this.ctx.storage
    const recent = this.#tableOf('recent', period)
    sql.exec(`INSERT INTO ${recent} (name) SELECT unhex(value) FROM json_each(?)`, JSON.stringify(names))
    const count = this.#count(recent, names.length)
    if (count < MAX_RECENT) return
    const large = this.#tableOf('large', period)
    sql.exec(`INSERT INTO ${large} (name) SELECT name FROM ${recent} ORDER BY name`)
    sql.exec(`DELETE FROM ${recent}`)
    this.#count(large, count)
    this.#count(recent, -count)
  }

  #tableOf(kind: 'recent' | 'large', period: number): string {
    const table = `${kind}_${period}`
    const tables = this.#load()
    if (!tables.has(table)) {
      this.ctx.storage.sql.exec(`CREATE TABLE ${table} (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID`)
      tables.set(table, 0)
    }
    return table
  }

  #count(table: string, more: number): number {
    const count = (this.#load().get(table) ?? 0) + more
    this.#load().set(table, count)
    return count
  }

  /** Mostly the alarm's work; an alarm that is late makes nobody wait for it. */
  #dropEnded(now: number): void {
    const tables = this.#load()
    for (const table of tables.keys()) {
      if (endOf(periodIn(table)) > now) continue
      this.ctx.storage.sql.exec(`DROP TABLE ${table}`)
      tables.delete(table)
    }
  }

  #load(): Map<string, number> {
    if (this.#tables) return this.#tables
    const { sql } = this.ctx.storage
    const found = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '*_[0-9]*'")
      .toArray()
      .map(({ name }) => [name, sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).one().n] as const)
    this.#tables = new Map(found)
    return this.#tables
  }

  /**
   * Set before anything is written, so that nothing can stay behind: for the earliest period that is there, or begins.
   */
  async #setSweep(): Promise<void> {
    if (this.#sweepIsSet) return
    const { storage } = this.ctx
    const periods = [...this.#load().keys()].map(periodIn)
    if ((await storage.getAlarm()) === null) await storage.setAlarm(endOf(Math.min(periodOf(Date.now()), ...periods)))
    this.#sweepIsSet = true
  }
}

const periodOf = (time: number) => Math.floor(time / NONCE_LIFETIME_MS)
/** When the last nonce of a period has been remembered for as long as it must. */
const endOf = (period: number) => (period + 2) * NONCE_LIFETIME_MS
const periodIn = (table: string) => Number(table.slice(table.indexOf('_') + 1))

function hexOf(names: Uint8Array): string[] {
  const hex = toHex(names)
  const digits = NAME_BYTES * 2
  return Array.from({ length: hex.length / digits }, (_, i) => hex.slice(i * digits, (i + 1) * digits))
}
