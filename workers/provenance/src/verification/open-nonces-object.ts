import { DurableObject } from 'cloudflare:workers'
import { concatBytes } from '@svc/protocol/bytes'
import { toHex } from '@svc/protocol/hash'
import { NONCE_LIFETIME_MS } from '@svc/protocol/signature-check'
import { bytesOfWords, countOf, NAME_BYTES, NameTable, wordsOf } from './name-table.ts'

/** Of a call, so that a log always has a row left. */
const MAX_NAMES = 4_096
/**
 * Of a period, less what one more call may bring: 6 MB of memory, and the period before has as much. An isolate has
 * 128 MB. A start reads them in some 300 ms when each came in a call of its own.
 */
const MAX_RECENT = 262_144 - MAX_NAMES
/**
 * In order, so that a page is written once for all its names: the more at once, the fewer pages for each, and the
 * longer the one caller waits. It is some 80 ms for a table of 200,000 names and twice that for a million.
 */
const MOVED_AT_ONCE = 16_384

interface Period {
  /** What the log of the period has. */
  readonly recent: NameTable
  /** How many are in its table: those that came before. */
  moved: number
}

/**
 * Nonces of strangers by their names. One is remembered for `NONCE_LIFETIME_MS` at least and for twice that at most:
 * each period of that length has tables of its own, and they go whole once its last nonce may.
 *
 * Names are hashes, so that in a table each of a hundred would be looked for and written in a page of its own. So a
 * call writes its names as one row of a log, and they are looked for in memory; only when they are too many for that,
 * the oldest are moved to a table.
 */
export class OpenNoncesObject extends DurableObject {
  /** What storage holds; read when it is first needed. */
  #periods: Map<number, Period> | null = null
  /** The alarm that storage is known to hold. */
  #sweepAt: number | null = null

  /**
   * Whether each name, one behind the other, was new; of equal ones the first alone. Durable before the answer leaves.
   * Null, and none is spent, where there may be no room for all: whoever floods an object makes it refuse and never
   * grow. No names leave no trace.
   */
  async spend(names: Uint8Array, maxNames: number): Promise<boolean[] | null> {
    if (names.length > MAX_NAMES * NAME_BYTES) throw new RangeError(`a call takes at most ${MAX_NAMES} names`)
    if (names.length > 0) await this.#setSweep()
    return this.#atOnce(() => this.#spend(wordsOf(names), maxNames, Date.now()))
  }

  /** Idempotent: drops what has ended, whenever it runs. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    this.#sweepAt = null
    this.#atOnce(() => this.#dropEnded(Date.now()))
    if (this.#load().size > 0) return this.#setSweep()
    await storage.deleteAll()
  }

  /** All of it or nothing, in storage and in memory. */
  #atOnce<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work)
    } catch (error) {
      this.#periods = null
      throw error
    }
  }

  #spend(names: Uint32Array, maxNames: number, now: number): boolean[] | null {
    this.#dropEnded(now)
    const periods = [...this.#load().values()]
    const remembered = periods.reduce((sum, { recent, moved }) => sum + recent.size + moved, 0)
    if (remembered + countOf(names) > maxNames) return null
    const known = [...periods.map(({ recent }) => recent), ...this.#movedOf(names)]
    const fresh = new NameTable()
    const wereNew = Array.from({ length: countOf(names) }, (_, i) => {
      return !known.some((table) => table.has(names, i)) && fresh.add(names, i)
    })
    if (fresh.size > 0) this.#keep(fresh, periodOf(now))
    return wereNew
  }

  /** Those of them that were moved, when any ever were. */
  #movedOf(names: Uint32Array): NameTable[] {
    const tables = [...this.#load()].filter(([, { moved }]) => moved > 0).map(([period]) => tableOf(period))
    if (tables.length === 0) return []
    const query = `SELECT name FROM (SELECT unhex(value) AS name FROM json_each(?))
      WHERE ${tables.map((table) => `name IN ${table}`).join(' OR ')}`
    const found = new NameTable()
    const rows = this.ctx.storage.sql.exec<{ name: ArrayBuffer }>(query, JSON.stringify(hexOf(bytesOfWords(names))))
    for (const { name } of rows) found.add(wordsOf(name), 0)
    return [found]
  }

  #keep(names: NameTable, period: number): void {
    const { sql } = this.ctx.storage
    const { recent, moved } = this.#begun(period)
    sql.exec(`INSERT INTO ${logOf(period)} (place, names) VALUES (?, ?)`, moved + recent.size, names.bytes)
    recent.addAll(wordsOf(names.bytes))
    if (recent.size >= MAX_RECENT) this.#moveOldest(period)
  }

  #begun(period: number): Period {
    const periods = this.#load()
    const there = periods.get(period)
    if (there) return there
    this.ctx.storage.sql.exec(`CREATE TABLE ${logOf(period)} (place INTEGER PRIMARY KEY, names BLOB NOT NULL) STRICT`)
    const begun = { recent: new NameTable(), moved: 0 }
    periods.set(period, begun)
    return begun
  }

  #moveOldest(number: number): void {
    const { sql } = this.ctx.storage
    const period = this.#begun(number)
    const [log, table] = [logOf(number), tableOf(number)]
    sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID`)
    const taken = `DELETE FROM ${log} WHERE place < ? RETURNING names`
    const rows = sql.exec<{ names: ArrayBuffer }>(taken, period.moved + MOVED_AT_ONCE).toArray()
    const names = concatBytes(rows.map((row) => new Uint8Array(row.names)))
    const sorted = JSON.stringify(hexOf(names).sort())
    sql.exec(`INSERT INTO ${table} (name) SELECT unhex(value) FROM json_each(?)`, sorted)
    const count = names.length / NAME_BYTES
    period.recent.dropOldest(count)
    period.moved += count
  }

  /** Mostly the alarm's work; an alarm that is late makes nobody wait for it. */
  #dropEnded(now: number): void {
    const { sql } = this.ctx.storage
    for (const period of this.#load().keys()) {
      if (endOf(period) > now) continue
      for (const table of [logOf(period), tableOf(period)]) sql.exec(`DROP TABLE IF EXISTS ${table}`)
      this.#load().delete(period)
    }
  }

  #load(): Map<number, Period> {
    if (this.#periods) return this.#periods
    const { sql } = this.ctx.storage
    const logs = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'recent_[0-9]*'").toArray()
    this.#periods = new Map(logs.map(({ name: log }) => [Number(log.slice('recent_'.length)), this.#read(log)]))
    return this.#periods
  }

  /** A log is never empty, and the place of its first row is how many were moved. */
  #read(log: string): Period {
    const recent = new NameTable()
    let moved: number | null = null
    const rows = this.ctx.storage.sql.exec<{ place: number; names: ArrayBuffer }>(
      `SELECT place, names FROM ${log} ORDER BY place`,
    )
    for (const { place, names } of rows) {
      moved ??= place
      recent.addAll(wordsOf(names))
    }
    return { recent, moved: moved ?? 0 }
  }

  /**
   * Set before anything is written, so that nothing can stay behind: for the earliest end of what is there, or begins.
   * One that is later, or was due long ago and never came, is set anew.
   */
  async #setSweep(): Promise<void> {
    const now = Date.now()
    const ends = [...this.#load().keys()].map(endOf)
    const due = Math.min(endOf(periodOf(now)), ...ends.filter((end) => end > now))
    const serves = (at: number | null) => at !== null && at <= due && at > now - NONCE_LIFETIME_MS
    if (serves(this.#sweepAt)) return
    const { storage } = this.ctx
    const set = await storage.getAlarm()
    if (!serves(set)) await storage.setAlarm(due)
    this.#sweepAt = serves(set) ? set : due
  }
}

const periodOf = (time: number) => Math.floor(time / NONCE_LIFETIME_MS)
/** When the last nonce of a period has been remembered for as long as it must. */
const endOf = (period: number) => (period + 2) * NONCE_LIFETIME_MS
const logOf = (period: number) => `recent_${period}`
const tableOf = (period: number) => `moved_${period}`

const hexOf = (names: Uint8Array) =>
  Array.from({ length: names.length / NAME_BYTES }, (_, i) =>
    toHex(names.subarray(i * NAME_BYTES, (i + 1) * NAME_BYTES)),
  )
