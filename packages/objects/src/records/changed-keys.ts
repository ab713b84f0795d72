import type { Sql } from '../sql.ts'

/** Keys of rows that changed, in order. A row may be in it more than once. */
export const CHANGED_KEYS_TABLE = 'unrecorded'
/** Emptied by making it anew: deleting its rows one by one would cost as much as writing them. */
const CREATE = `CREATE TABLE ${CHANGED_KEYS_TABLE} (seq INTEGER PRIMARY KEY, tbl TEXT NOT NULL, key TEXT NOT NULL) STRICT`
const MAX_DONE = 256
const AT_ONCE = 256
const EVENTS = [
  ['INSERT', 'NEW'],
  ['UPDATE', 'NEW'],
  ['DELETE', 'OLD'],
] as const

export interface ChangedKey {
  readonly seq: number
  readonly tbl: string
  /** A JSON array. */
  readonly key: string
}

/**
 * Which rows of large tables changed, noted by triggers in the transaction of the change: a table that anyone can make
 * grow is not recorded whole for each change of one row.
 */
export class ChangedKeys {
  readonly #sql: Sql
  readonly #tables: readonly string[]
  readonly #keys = new Map<string, readonly string[]>()
  /** Null until it is known whether the list exists. */
  #isMade: boolean | null = null

  constructor(sql: Sql, tables: readonly string[]) {
    this.#sql = sql
    this.#tables = tables
  }

  /** Watches the tables that exist and are not watched yet. Call inside a transaction. True if there were any. */
  watch(): boolean {
    if (this.#tables.length === 0) return false
    const known = new Set(this.#names())
    const unwatched = this.#tables.filter((table) => known.has(table) && !known.has(triggerOf(table, 'INSERT')))
    if (unwatched.length > 0 && !known.has(CHANGED_KEYS_TABLE)) this.#sql.exec(CREATE)
    for (const table of unwatched) this.#watchOne(table)
    this.forget()
    return unwatched.length > 0
  }

  /** The newest change; 0 if there was none. */
  newest(): number {
    if (!this.#isWatching()) return 0
    const newest = `SELECT coalesce(max(seq), 0) AS seq FROM ${CHANGED_KEYS_TABLE}`
    return this.#sql.exec<{ seq: number }>(newest).one().seq
  }

  *after(seq: number): Generator<ChangedKey, void> {
    if (!this.#isWatching()) return
    const select = `SELECT seq, tbl, key FROM ${CHANGED_KEYS_TABLE} WHERE seq > ? ORDER BY seq LIMIT ${AT_ONCE}`
    for (let last = seq; ; ) {
      const page = this.#sql.exec<{ seq: number; tbl: string; key: string }>(select, last).toArray()
      yield* page
      if (page.length < AT_ONCE) return
      last = page.at(-1)?.seq ?? last
    }
  }

  /** Whether so much is done that it is worth dropping. */
  isLong(done: number): boolean {
    return done >= MAX_DONE
  }

  /** Drops what is done. Call inside a transaction. Throws while a cursor of the object is open. */
  drop(done: number): void {
    const rest = [...this.after(done)]
    this.#sql.exec(`DROP TABLE ${CHANGED_KEYS_TABLE}`)
    this.#sql.exec(CREATE)
    for (const { tbl, key } of rest) {
      this.#sql.exec(`INSERT INTO ${CHANGED_KEYS_TABLE} (tbl, key) VALUES (?, ?)`, tbl, key)
    }
  }

  /** The columns of the primary key. */
  keyOf(table: string): readonly string[] {
    const known = this.#keys.get(table)
    if (known) return known
    const columns = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk'
    const rows = this.#sql.exec<{ name: string }>(columns, table).toArray()
    const names = rows.map(({ name }) => name)
    this.#keys.set(table, names)
    return names
  }

  #watchOne(table: string): void {
    const key = this.keyOf(table)
    for (const [event, row] of EVENTS) {
      const columns = key.map((column) => `${row}."${column}"`).join(', ')
      this.#sql.exec(
        `CREATE TRIGGER ${triggerOf(table, event)} AFTER ${event} ON "${table}" BEGIN
           INSERT INTO ${CHANGED_KEYS_TABLE} (tbl, key) VALUES ('${table}', json_array(${columns}));
         END`,
      )
    }
  }

  /** What was read into memory may no longer be what is stored. */
  forget(): void {
    this.#isMade = null
  }

  #isWatching(): boolean {
    this.#isMade ??= this.#tables.length > 0 && this.#names().includes(CHANGED_KEYS_TABLE)
    return this.#isMade
  }

  #names(): string[] {
    const names = this.#sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger')")
    return names.toArray().map(({ name }) => name)
  }
}

function triggerOf(table: string, event: string): string {
  return `unrecorded_${table}_${event.toLowerCase()}`
}
