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
 * to a small table of the period, and moved from there to its large one in order and many at once. That writes fewer
 * pages up to some two million names in a period; beyond, as many.
 */
export class OpenNoncesObject extends DurableObject {
  /** The tables with their rows, by name; read from storage when they are first needed. */
  #tables: Map<string, number> | null = null
  /** The alarm that storage is known to hold. */
  #sweepAt: number | null = null

  /**
   * Whether each name, one behind the other, was new; of equal ones the first alone. Durable before the answer leaves.
   * Null, and none is spent, where there may be no room for all: whoever floods an object makes it refuse and never
   * grow. No names leave no trace.
   */
  async spend(names: Uint8Array, maxNames: number): Promise<boolean[] | null> {
    if (names.length > 0) await this.#setSweep()
    const before = new Map(this.#load())
    try {
      return this.ctx.storage.transactionSync(() => this.#spend(hexOf(names), maxNames, Date.now()))
    } catch (error) {
      this.#tables = before
      throw error
    }
  }

  /** Idempotent: drops what has ended, whenever it runs. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepAt = null
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
    this.#count(large, count)
    this.#drop(recent)
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
    for (const table of this.#load().keys()) if (endOf(periodIn(table)) <= now) this.#drop(table)
  }

  #drop(table: string): void {
    this.ctx.storage.sql.exec(`DROP TABLE ${table}`)
    this.#load().delete(table)
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
   * Set before anything is written, so that nothing can stay behind: for the earliest end of what is there, or begins.
   * One that is later, or was due long ago and never came, is set anew.
   */
  async #setSweep(): Promise<void> {
    const now = Date.now()
    const ends = [...this.#load().keys()].map((table) => endOf(periodIn(table)))
    const due = Math.min(endOf(periodOf(now)), ...ends.filter((end) => end > now))
    if (this.#sweepAt !== null && this.#sweepAt <= due) return
    const { storage } = this.ctx
    const set = await storage.getAlarm()
    const serves = set !== null && set <= due && set > now - NONCE_LIFETIME_MS
    if (!serves) await storage.setAlarm(due)
    this.#sweepAt = serves ? set : due
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
