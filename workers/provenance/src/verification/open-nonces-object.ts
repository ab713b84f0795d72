import { DurableObject } from 'cloudflare:workers'
import { NONCE_LIFETIME_MS } from '@svc/protocol/signature-check'

/**
 * Nonces of strangers by their names, which are hex of one length. One is remembered for `NONCE_LIFETIME_MS` at least and
 * for twice that at most: each period of that length has a table, and the whole table goes once its last nonce may. A row
 * is a name and nothing else, so that a hundred of them touch few pages, which are what a spending writes.
 */
export class OpenNoncesObject extends DurableObject {
  /** How many rows the table of each period has; read from the tables when it is first needed. */
  #rows: Map<number, number> | null = null
  #sweepIsSet = false

  /**
   * Whether each name was new; of equal ones the first alone. Durable before the answer leaves. Null, and none is spent,
   * where there may be no room for all: whoever floods an object makes it refuse and never grow.
   */
  async spend(names: readonly string[], maxNames: number): Promise<boolean[] | null> {
    if (names.length === 0) return []
    await this.#setSweep()
    try {
      return this.ctx.storage.transactionSync(() => this.#spend(names, maxNames))
    } catch (error) {
      this.#rows = null
      throw error
    }
  }

  /** Idempotent: drops what may be forgotten, whenever it runs. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepIsSet = false
    const rows = this.#load()
    for (const period of rows.keys()) {
      if (endOf(period) > Date.now()) continue
      storage.sql.exec(`DROP TABLE ${tableOf(period)}`)
      rows.delete(period)
    }
    if (rows.size > 0) return this.#setSweep()
    await storage.deleteAll()
  }

  #spend(names: readonly string[], maxNames: number): boolean[] | null {
    const { sql } = this.ctx.storage
    const rows = this.#load()
    const remembered = [...rows.values()].reduce((sum, count) => sum + count, 0)
    if (remembered + names.length > maxNames) return null
    const fresh = new Set(names)
    const asked = JSON.stringify([...fresh])
    for (const period of rows.keys()) {
      const query = `SELECT value AS name FROM json_each(?) WHERE unhex(value) IN ${tableOf(period)}`
      for (const { name } of sql.exec<{ name: string }>(query, asked)) fresh.delete(name)
    }
    if (fresh.size > 0) this.#insert([...fresh])
    return names.map((name) => fresh.delete(name))
  }

  /** Into the table of the present period, or of a later one, where the clock went back: then nothing is kept too short. */
  #insert(names: readonly string[]): void {
    const { sql } = this.ctx.storage
    const rows = this.#load()
    const period = Math.max(periodOf(Date.now()), ...rows.keys())
    const table = tableOf(period)
    if (!rows.has(period)) sql.exec(`CREATE TABLE ${table} (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID`)
    sql.exec(`INSERT INTO ${table} (name) SELECT unhex(value) FROM json_each(?)`, JSON.stringify(names))
    rows.set(period, (rows.get(period) ?? 0) + names.length)
  }

  #load(): Map<number, number> {
    if (this.#rows) return this.#rows
    const { sql } = this.ctx.storage
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'period_%'").toArray()
    this.#rows = new Map(
      tables.map(({ name }) => [
        Number(name.slice('period_'.length)),
        sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).one().n,
      ]),
    )
    return this.#rows
  }

  /** Set before anything is written, so that nothing can stay behind: for the earliest period that is there, or begins. */
  async #setSweep(): Promise<void> {
    if (this.#sweepIsSet) return
    const { storage } = this.ctx
    if ((await storage.getAlarm()) === null)
      await storage.setAlarm(endOf(Math.min(periodOf(Date.now()), ...this.#load().keys())))
    this.#sweepIsSet = true
  }
}

const periodOf = (time: number) => Math.floor(time / NONCE_LIFETIME_MS)
/** When the last nonce of a period has been remembered for as long as it must. */
const endOf = (period: number) => (period + 2) * NONCE_LIFETIME_MS
const tableOf = (period: number) => `period_${period}`
