import { type Schema, VersionedObject } from '@svc/objects'
import { concatBytes } from '@svc/protocol/base/bytes'
import { toHex } from '@svc/protocol/base/hash'
import { NONCE_LIFETIME_MS } from '@svc/protocol/provenance/signature-check'
import { bytesOfWords, countOf, NAME_BYTES, NameTable, wordsOf } from './name-table.ts'

/** Per call, so that a log always keeps a row. */
const MAX_NAMES = 4_096
/**
 * Names per period, less one call: 6 MB of memory, and as much for the previous period. An isolate has 128 MB. Reading
 * them at a start takes about 300 ms if each came in a call of its own.
 */
const MAX_RECENT = 262_144 - MAX_NAMES
/**
 * Names are moved in order, so that each page is written once for all its names. Moving more at once writes fewer pages
 * per name but delays one caller longer: about 80 ms for a table of 200,000 names and twice that for a million.
 */
const MOVED_AT_ONCE = 16_384

const OPEN_NONCES: Schema = {
  name: 'open-nonces',
  unversionedTable: 'recent_[0-9]*',
  // The name tables are created when their period begins.
  steps: [{ name: 'a log and a table of names for each period', run: () => {} }],
}

interface Period {
  /** The names in the period's log. */
  readonly recent: NameTable
  /** How many names are in the period's table: those that came before the log's. */
  moved: number
}

/**
 * Nonces of anonymous callers, by name. Each is remembered for between `NONCE_LIFETIME_MS` and twice that: every period
 * of that length has its own tables, which are dropped whole once the last nonce in them may go.
 *
 * Names are hashes, so looking up a hundred in a table would read and write a hundred pages. Instead, each call writes
 * its names as one row of a log, and lookups run in memory. Only when there are too many for memory are the oldest
 * moved to a table.
 */
export class OpenNoncesObject extends VersionedObject {
  static override readonly schemas = [OPEN_NONCES]
  /** A copy of what storage holds, read on first use. */
  #periods: Map<number, Period> | null = null

  /**
   * Returns for each of the contiguous names whether it was new; of equal names, only the first is. Durable before the
   * answer leaves. Returns null and spends none if there may be no room for all of them: a flood makes the object refuse,
   * never grow. An empty call leaves no trace.
   */
  async spend(names: Uint8Array, maxNames: number): Promise<boolean[] | null> {
    if (names.length > MAX_NAMES * NAME_BYTES) throw new RangeError(`a call takes at most ${MAX_NAMES} names`)
    if (names.length > 0) await this.#setSweep()
    return this.#atOnce(() => this.#spend(wordsOf(names), maxNames, Date.now()))
  }

  /** Idempotent: drops what has expired, whenever it runs. */
  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    this.#atOnce(() => this.#dropEnded(Date.now()))
    if (this.#load().size > 0) return this.#setSweep()
    await this.stored.deleteAll()
  }

  /** All or nothing, in storage and in memory. */
  #atOnce<T>(work: () => T): T {
    try {
      return this.stored.transact(work)
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

  /** Those of the names that were moved to the table. */
  #movedOf(names: Uint32Array): NameTable[] {
    const tables = [...this.#load()].filter(([, { moved }]) => moved > 0).map(([period]) => tableOf(period))
    if (tables.length === 0) return []
    const query = `SELECT name FROM (SELECT unhex(value) AS name FROM json_each(?))
      WHERE ${tables.map((table) => `name IN ${table}`).join(' OR ')}`
    const found = new NameTable()
    const rows = this.stored.sql.exec<{ name: ArrayBuffer }>(query, JSON.stringify(hexOf(bytesOfWords(names))))
    for (const { name } of rows) found.add(wordsOf(name), 0)
    return [found]
  }

  #keep(names: NameTable, period: number): void {
    const { sql } = this.stored
    const { recent, moved } = this.#begun(period)
    sql.exec(`INSERT INTO ${logOf(period)} (place, names) VALUES (?, ?)`, moved + recent.size, names.bytes)
    recent.addAll(wordsOf(names.bytes))
    if (recent.size >= MAX_RECENT) this.#moveOldest(period)
  }

  #begun(period: number): Period {
    const periods = this.#load()
    const there = periods.get(period)
    if (there) return there
    this.stored.create(OPEN_NONCES)
    this.stored.sql.exec(`CREATE TABLE ${logOf(period)} (place INTEGER PRIMARY KEY, names BLOB NOT NULL) STRICT`)
    const begun = { recent: new NameTable(), moved: 0 }
    periods.set(period, begun)
    return begun
  }

  #moveOldest(number: number): void {
    const { sql } = this.stored
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

  /** Mostly the alarm's work. A late alarm delays no caller. */
  #dropEnded(now: number): void {
    const { sql } = this.stored
    for (const period of this.#load().keys()) {
      if (endOf(period) > now) continue
      for (const table of [logOf(period), tableOf(period)]) sql.exec(`DROP TABLE IF EXISTS ${table}`)
      this.#load().delete(period)
    }
  }

  #load(): Map<number, Period> {
    if (this.#periods) return this.#periods
    const { sql } = this.stored
    const logs = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'recent_[0-9]*'").toArray()
    this.#periods = new Map(logs.map(({ name: log }) => [Number(log.slice('recent_'.length)), this.#read(log)]))
    return this.#periods
  }

  /** A log is never empty, and the place of its first row is the number of moved names. */
  #read(log: string): Period {
    const recent = new NameTable()
    let moved: number | null = null
    const rows = this.stored.sql.exec<{ place: number; names: ArrayBuffer }>(
      `SELECT place, names FROM ${log} ORDER BY place`,
    )
    for (const { place, names } of rows) {
      moved ??= place
      recent.addAll(wordsOf(names))
    }
    return { recent, moved: moved ?? 0 }
  }

  /** Set before the first write, so that nothing outlives it: at the earliest end of what exists, or of what begins. */
  #setSweep(): Promise<void> {
    const now = Date.now()
    const ends = [...this.#load().keys()].map(endOf)
    return this.stored.alarm.by(Math.min(endOf(periodOf(now)), ...ends.filter((end) => end > now)))
  }
}

const periodOf = (time: number) => Math.floor(time / NONCE_LIFETIME_MS)
/** When the last nonce of a period may be forgotten. */
const endOf = (period: number) => (period + 2) * NONCE_LIFETIME_MS
const logOf = (period: number) => `recent_${period}`
const tableOf = (period: number) => `moved_${period}`

const hexOf = (names: Uint8Array) =>
  Array.from({ length: names.length / NAME_BYTES }, (_, i) =>
    toHex(names.subarray(i * NAME_BYTES, (i + 1) * NAME_BYTES)),
  )
