import type { Sql } from '@svc/objects'
import { HASH_BYTES } from '@svc/protocol/base/labels'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { type LogEnding, logEndingSchema } from '@svc/protocol/merkle/roll'
import { EMPTY_EDGE, TILE_WIDTH, type TileEdge } from '@svc/protocol/merkle/tiles'

/** A leaf on its way to the log. */
export interface SubmittedLeaf {
  readonly leafId: string
  /** One line. */
  readonly entry: string
}

/** Ids are kept per period: a quarter of an hour, or this many leaves. */
export const PERIOD_MS = 15 * 60_000
const PERIOD_LEAVES = 500_000
/** Ids that are moved at a time when their period is dropped. */
const MOVED = 10_000

/** One batch, or several that an object lacked. */
export interface CommittedBatch {
  readonly batch: number
  /** Of the log after each of them. */
  readonly sizes: readonly number[]
  readonly edge: TileEdge
  readonly root: string
  readonly tail: readonly string[]
  /** Its ids in order; null for a leaf that nobody submits. */
  readonly leafIds: readonly (string | null)[]
}

export interface StoredHead {
  readonly batch: number
  readonly size: number
  readonly root: string
}

type Period = { period: number; began_at: number; first_batch: number; first_index: number; state: 'open' | 'dropped' }

/** A clock that was wrong when the next one began does not make it longer. */
function endOf({ began_at }: Period, next: Period | undefined): number {
  return Math.min(began_at + PERIOD_MS, next?.began_at ?? Number.POSITIVE_INFINITY)
}

const NEW: StoredHead = { batch: 0, size: 0, root: '' }

/** A log in its object's SQLite. */
export class LogStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Names the log, at its start. */
  begin(log: string, keyVersion: number): void {
    this.#sql.exec('INSERT INTO log (id, name, key_version) VALUES (0, ?, ?) ON CONFLICT DO NOTHING', log, keyVersion)
  }

  /** The object of one log never goes on with the files of another. */
  requireName(log: string): void {
    const name = this.name()
    if (name !== log) throw new Error(`the object of the log ${name} cannot write ${log}`)
  }

  keyVersion(): number {
    return this.#one<{ key_version: number }>('SELECT key_version FROM log')?.key_version ?? 0
  }

  /** Nothing follows the batch that is being committed. */
  close({ next, final }: LogEnding): void {
    this.#sql.exec('UPDATE log SET next = ?, final = ?', next, JSON.stringify(final))
  }

  /** Null while the log is open. */
  ending(): LogEnding | null {
    const row = this.#one<{ next: string | null; final: string | null }>('SELECT next, final FROM log')
    if (row?.next == null || row.final === null) return null
    return logEndingSchema.parse({ next: row.next, final: JSON.parse(row.final) as unknown })
  }

  name(): string | null {
    return this.#one<{ name: string }>('SELECT name FROM log')?.name ?? null
  }

  opened(at: number): void {
    this.#sql.exec('UPDATE log SET opened_at = ?', at)
  }

  openedAt(): number {
    return this.#one<{ opened_at: number | null }>('SELECT opened_at FROM log')?.opened_at ?? 0
  }

  head(): StoredHead {
    const [row] = this.#sql
      .exec<{ batch: number; size: number; root: string }>('SELECT batch, size, root FROM head')
      .toArray()
    return row ?? NEW
  }

  edge(): TileEdge & { readonly tail: readonly string[] } {
    const [row] = this.#sql
      .exec<{ size: number; edge: ArrayBuffer; tail: string }>('SELECT size, edge, tail FROM head')
      .toArray()
    if (!row) return { ...EMPTY_EDGE, tail: [] }
    return { size: row.size, edge: levelsOf(row.size, new Uint8Array(row.edge)), tail: linesOf(row.tail) }
  }

  /** The place of a leaf whose id is still kept. */
  indexOf(leafId: string): number | null {
    for (const { period } of this.#openPeriods()) {
      const found = this.#one<{ idx: number }>(`SELECT idx FROM taken_${period} WHERE leaf_id = ?`, leafId)
      if (found) return found.idx
    }
    return this.#one<{ idx: number }>('SELECT idx FROM unacknowledged WHERE leaf_id = ?', leafId)?.idx ?? null
  }

  /** The batch is decided, and its tiles are written. */
  commit({ batch, sizes, edge, root, tail, leafIds }: CommittedBatch, now: number): void {
    const before = this.head()
    const period = this.#periodAt(now, { size: before.size, batch: before.batch + 1 })
    for (const [i, leafId] of leafIds.entries()) {
      if (leafId === null) continue
      // After a restore the batches of weeks are taken at once: an owner may have submitted a leaf again in that time.
      this.#sql.exec(
        `INSERT INTO taken_${period} (leaf_id, idx) VALUES (?, ?) ON CONFLICT DO NOTHING`,
        leafId,
        before.size + i,
      )
    }
    this.#sql.exec(
      `INSERT OR REPLACE INTO head (id, batch, size, root, edge, tail) VALUES (0, ?, ?, ?, ?, ?)`,
      batch,
      edge.size,
      root,
      joined(edge.edge),
      tail.join('\n'),
    )
    const grown = before.size > 0 ? [before.size, ...sizes] : sizes
    for (const [i, size] of grown.slice(0, -1).entries()) {
      this.#sql.exec('INSERT INTO retired (size, next, since) VALUES (?, ?, ?)', size, grown[i + 1] ?? size, now)
    }
  }

  /** Their owners know where these leaves are, and submit them no more. One row, however many of a period there are. */
  acknowledge(indexes: readonly number[], now: number): void {
    const open = this.#openPeriods()
    const byPeriod = Map.groupBy(indexes, (index) => open.find(({ first_index }) => first_index <= index)?.period)
    for (const [period, some] of byPeriod) {
      const list = JSON.stringify(some)
      if (period !== undefined) {
        this.#sql.exec(`INSERT INTO acknowledged_${period} (indexes, at) VALUES (?, ?)`, list, now)
      } else {
        this.#sql.exec(
          `UPDATE unacknowledged SET known_at = coalesce(known_at, ?), asked_at = NULL
           WHERE idx IN (SELECT value FROM json_each(?))`,
          now,
          list,
        )
      }
    }
  }

  /** Drops the ids of a period. What was not acknowledged before a time is kept by itself. */
  dropPeriod(period: number, before: number): void {
    const first = this.#one<Period>('SELECT * FROM periods WHERE period = ?', period)?.first_index ?? 0
    const next = this.#one<Period>('SELECT * FROM periods WHERE period > ? ORDER BY period LIMIT 1', period)
    const isKnown = new Uint8Array((next?.first_index ?? this.head().size) - first)
    const knownAt = new Map<number, number>()
    for (const { indexes, at } of this.#sql.exec<{ indexes: string; at: number }>(
      `SELECT indexes, at FROM acknowledged_${period} ORDER BY seq DESC`,
    )) {
      for (const index of JSON.parse(indexes) as number[]) {
        if (at > before) knownAt.set(index, at)
        else isKnown[index - first] = 1
      }
    }
    for (let after = '', page = this.#taken(period, after); page.length > 0; page = this.#taken(period, after)) {
      for (const { leaf_id, idx } of page) {
        if (isKnown[idx - first] === 1) continue
        const at = knownAt.get(idx) ?? null
        this.#sql.exec(
          'INSERT INTO unacknowledged (idx, leaf_id, known_at, asked_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
          idx,
          leaf_id,
          at,
          at === null ? before : null,
        )
      }
      after = page.at(-1)?.leaf_id ?? ''
    }
    this.#sql.exec(`DROP TABLE taken_${period}`)
    this.#sql.exec(`DROP TABLE acknowledged_${period}`)
    this.#sql.exec("UPDATE periods SET state = 'dropped' WHERE period = ?", period)
  }

  /** Forgets leaves that were acknowledged before a time, after their period had been dropped. */
  forgetAcknowledged(before: number): void {
    this.#sql.exec('DELETE FROM unacknowledged WHERE known_at <= ?', before)
  }

  /** Leaves of dropped periods whose owners were last asked before a time. */
  unknown(before: number, limit: number): { readonly leafId: string; readonly index: number }[] {
    return this.#sql
      .exec<{ leaf_id: string; idx: number }>(
        'SELECT leaf_id, idx FROM unacknowledged WHERE asked_at <= ? ORDER BY asked_at LIMIT ?',
        before,
        limit,
      )
      .toArray()
      .map(({ leaf_id, idx }) => ({ leafId: leaf_id, index: idx }))
  }

  asked(indexes: readonly number[], now: number): void {
    this.#sql.exec(
      'UPDATE unacknowledged SET asked_at = ? WHERE idx IN (SELECT value FROM json_each(?))',
      now,
      JSON.stringify(indexes),
    )
  }

  oldestUnknown(): number | null {
    return (
      this.#one<{ at: number | null }>('SELECT min(asked_at) AS at FROM unacknowledged WHERE asked_at IS NOT NULL')
        ?.at ?? null
    )
  }

  oldestAcknowledged(): number | null {
    return (
      this.#one<{ at: number | null }>('SELECT min(known_at) AS at FROM unacknowledged WHERE known_at IS NOT NULL')
        ?.at ?? null
    )
  }

  /** The open periods with the times at which they end, oldest first. */
  openPeriods(): { readonly period: number; readonly endsAt: number }[] {
    const periods = this.#sql.exec<Period>('SELECT * FROM periods ORDER BY period').toArray()
    return periods
      .map((one, i) => ({ ...one, endsAt: endOf(one, periods[i + 1]) }))
      .filter(({ state }) => state === 'open')
  }

  /** The batches of the oldest period and when it ended, unless it is the newest one too. */
  oldestHeads(): {
    readonly period: number
    readonly from: number
    readonly to: number
    readonly endedAt: number
  } | null {
    const [oldest, next] = this.#sql.exec<Period>('SELECT * FROM periods ORDER BY period LIMIT 2').toArray()
    if (!oldest || !next) return null
    return { period: oldest.period, from: oldest.first_batch, to: next.first_batch, endedAt: endOf(oldest, next) }
  }

  forgetPeriod(period: number): void {
    this.#sql.exec("DELETE FROM periods WHERE period = ? AND state = 'dropped'", period)
  }

  retired(before: number, limit: number): { size: number; next: number }[] {
    return this.#sql
      .exec<{ size: number; next: number }>(
        'SELECT size, next FROM retired WHERE since <= ? ORDER BY size LIMIT ?',
        before,
        limit,
      )
      .toArray()
  }

  removed(sizes: readonly number[]): void {
    this.#sql.exec('DELETE FROM retired WHERE size IN (SELECT value FROM json_each(?))', JSON.stringify(sizes))
  }

  oldestRetired(): number | null {
    return this.#one<{ since: number }>('SELECT since FROM retired ORDER BY size LIMIT 1')?.since ?? null
  }

  /** A witness never goes back to an older state. */
  cosign({ statement, ...signed }: SignedCosignature): void {
    this.#sql.exec(
      `INSERT INTO cosignatures (witness, size, signed) VALUES (?1, ?2, ?3)
       ON CONFLICT (witness) DO UPDATE SET size = ?2, signed = ?3 WHERE size <= ?2`,
      statement.witness,
      statement.size,
      JSON.stringify({ statement, ...signed }),
    )
  }

  cosignatures(): SignedCosignature[] {
    return this.#sql
      .exec<{ signed: string }>('SELECT signed FROM cosignatures ORDER BY witness')
      .toArray()
      .map(({ signed }) => JSON.parse(signed) as SignedCosignature)
  }

  /** Newest first. */
  #openPeriods(): Period[] {
    return this.#sql.exec<Period>("SELECT * FROM periods WHERE state = 'open' ORDER BY period DESC").toArray()
  }

  /**
   * The newest period. Another one begins when it is over or full, when its ids are dropped, and when the clock has gone
   * back behind its beginning.
   */
  #periodAt(now: number, { batch, size }: { readonly batch: number; readonly size: number }): number {
    const newest = this.#one<Period>('SELECT * FROM periods ORDER BY period DESC LIMIT 1')
    const isCurrent =
      newest?.state === 'open' &&
      newest.began_at <= now &&
      now < newest.began_at + PERIOD_MS &&
      size - newest.first_index < PERIOD_LEAVES
    if (newest && isCurrent) return newest.period
    const period = (newest?.period ?? 0) + 1
    this.#sql.exec(
      "INSERT INTO periods (period, began_at, first_batch, first_index, state) VALUES (?, ?, ?, ?, 'open')",
      period,
      now,
      batch,
      size,
    )
    this.#sql.exec(
      `CREATE TABLE taken_${period} (leaf_id TEXT PRIMARY KEY, idx INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    )
    this.#sql.exec(
      `CREATE TABLE acknowledged_${period} (seq INTEGER PRIMARY KEY, indexes TEXT NOT NULL, at INTEGER NOT NULL) STRICT`,
    )
    return period
  }

  #taken(period: number, after: string): { leaf_id: string; idx: number }[] {
    return this.#sql
      .exec<{ leaf_id: string; idx: number }>(
        `SELECT leaf_id, idx FROM taken_${period} WHERE leaf_id > ? ORDER BY leaf_id LIMIT ${MOVED}`,
        after,
      )
      .toArray()
  }

  #one<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): T | null {
    return this.#sql.exec<T>(query, ...values).toArray()[0] ?? null
  }
}

function joined(levels: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(levels.reduce((length, level) => length + level.length, 0))
  let at = 0
  for (const level of levels) {
    bytes.set(level, at)
    at += level.length
  }
  return bytes
}

function levelsOf(size: number, bytes: Uint8Array): Uint8Array[] {
  const levels: Uint8Array[] = []
  let at = 0
  for (let hashes = size; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH)) {
    const length = (hashes % TILE_WIDTH) * HASH_BYTES
    levels.push(bytes.subarray(at, at + length))
    at += length
  }
  return levels
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))
