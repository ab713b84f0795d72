import { HASH_BYTES } from '@svc/protocol/base/labels'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { EMPTY_EDGE, TILE_WIDTH, type TileEdge } from '@svc/protocol/merkle/tiles'

/** A leaf on its way to the log. */
export interface SubmittedLeaf {
  readonly leafId: string
  /** One line. */
  readonly entry: string
}

/** Ids are kept per period of a quarter of an hour. */
export const PERIOD_MS = 15 * 60_000
export const endOf = (period: number): number => (period + 1) * PERIOD_MS

export interface CommittedBatch {
  readonly batch: number
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

type Period = { period: number; first_batch: number; first_index: number }

const NEW: StoredHead = { batch: 0, size: 0, root: '' }

/** A log in its object's SQLite. */
export class LogStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
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
  commit({ batch, edge, root, tail, leafIds }: CommittedBatch, now: number): void {
    const before = this.head()
    const period = this.#periodAt(now, { ...before, batch })
    for (const [i, leafId] of leafIds.entries()) {
      if (leafId === null) continue
      this.#sql.exec(`INSERT INTO taken_${period} (leaf_id, idx) VALUES (?, ?)`, leafId, before.size + i)
    }
    this.#sql.exec(
      `INSERT OR REPLACE INTO head (id, batch, size, root, edge, tail) VALUES (0, ?, ?, ?, ?, ?)`,
      batch,
      edge.size,
      root,
      joined(edge.edge),
      tail.join('\n'),
    )
    if (before.size > 0) {
      this.#sql.exec('INSERT INTO retired (size, next, since) VALUES (?, ?, ?)', before.size, edge.size, now)
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
          'UPDATE unacknowledged SET known_at = coalesce(known_at, ?) WHERE idx IN (SELECT value FROM json_each(?))',
          now,
          list,
        )
      }
    }
  }

  /** Drops the ids of a period. What was not acknowledged before a time is kept by itself. */
  dropPeriod(period: number, before: number): void {
    const knownAt = new Map<number, number>()
    const acknowledged = this.#sql.exec<{ indexes: string; at: number }>(
      `SELECT indexes, at FROM acknowledged_${period} ORDER BY seq DESC`,
    )
    for (const { indexes, at } of acknowledged)
      for (const index of JSON.parse(indexes) as number[]) knownAt.set(index, at)
    const left: { readonly leaf_id: string; readonly idx: number; readonly at: number | null }[] = []
    for (const row of this.#sql.exec<{ leaf_id: string; idx: number }>(`SELECT leaf_id, idx FROM taken_${period}`)) {
      const at = knownAt.get(row.idx) ?? null
      if (at === null || at > before) left.push({ ...row, at })
    }
    for (const { leaf_id, idx, at } of left) {
      this.#sql.exec('INSERT INTO unacknowledged (idx, leaf_id, known_at) VALUES (?, ?, ?)', idx, leaf_id, at)
    }
    this.#sql.exec(`DROP TABLE taken_${period}`)
    this.#sql.exec(`DROP TABLE acknowledged_${period}`)
    this.#sql.exec("UPDATE periods SET state = 'dropped' WHERE period = ?", period)
  }

  /** Forgets leaves that were acknowledged before a time, after their period had been dropped. */
  forgetAcknowledged(before: number): void {
    this.#sql.exec('DELETE FROM unacknowledged WHERE known_at <= ?', before)
  }

  oldestAcknowledged(): number | null {
    return this.#one<{ at: number | null }>('SELECT min(known_at) AS at FROM unacknowledged')?.at ?? null
  }

  /** The open periods that ended before a time. */
  endedPeriods(before: number): number[] {
    return this.#openPeriods()
      .map(({ period }) => period)
      .filter((period) => endOf(period) <= before)
  }

  oldestOpenPeriod(): number | null {
    return this.#openPeriods().at(-1)?.period ?? null
  }

  /** The batches of the oldest period, unless it is the newest one too. */
  oldestHeads(): { readonly period: number; readonly from: number; readonly to: number } | null {
    const [oldest, next] = this.#sql.exec<Period>('SELECT * FROM periods ORDER BY period LIMIT 2').toArray()
    return oldest && next ? { period: oldest.period, from: oldest.first_batch, to: next.first_batch } : null
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

  /** The newest period, which begins with the batch if none has begun at this time. Clocks may go back; periods do not. */
  #periodAt(now: number, { batch, size }: { readonly batch: number; readonly size: number }): number {
    const [newest] = this.#sql
      .exec<Period & { state: string }>('SELECT * FROM periods ORDER BY period DESC LIMIT 1')
      .toArray()
    const period = Math.max(Math.floor(now / PERIOD_MS), newest?.state === 'dropped' ? newest.period + 1 : 0)
    if (newest && newest.period >= period) return newest.period
    this.#sql.exec(
      "INSERT INTO periods (period, first_batch, first_index, state) VALUES (?, ?, ?, 'open')",
      period,
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
