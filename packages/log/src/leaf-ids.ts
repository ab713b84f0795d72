import type { Sql } from '@svc/objects'

/** Ids are kept per period: a quarter of an hour, or this many leaves. */
export const PERIOD_MS = 15 * 60_000
const PERIOD_LEAVES = 500_000
/** Ids that are moved at a time when their period is dropped. */
const MOVED = 10_000

type Period = { period: number; began_at: number; first_batch: number; first_index: number; state: 'open' | 'dropped' }

/** A clock that was wrong when the next one began does not make it longer. */
function endOf({ began_at }: Period, next: Period | undefined): number {
  return Math.min(began_at + PERIOD_MS, next?.began_at ?? Number.POSITIVE_INFINITY)
}

/** The ids of young leaves in the SQLite of their log's object, in one table per period, and the periods. */
export class LeafIds {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The place of a leaf whose id is still kept. */
  indexOf(leafId: string): number | null {
    for (const { period } of this.#openPeriods()) {
      const found = this.#one<{ idx: number }>(`SELECT idx FROM taken_${period} WHERE leaf_id = ?`, leafId)
      if (found) return found.idx
    }
    return this.#one<{ idx: number }>('SELECT idx FROM unacknowledged WHERE leaf_id = ?', leafId)?.idx ?? null
  }

  /** The ids of a batch in order, for the places from the size of the log before it; null for a leaf that nobody submits. */
  take(
    leafIds: readonly (string | null)[],
    first: { readonly size: number; readonly batch: number },
    now: number,
  ): void {
    const period = this.#periodAt(now, first)
    for (const [i, leafId] of leafIds.entries()) {
      if (leafId === null) continue
      // After a restore the batches of weeks are taken at once: an owner may have submitted a leaf again in that time.
      this.#sql.exec(
        `INSERT INTO taken_${period} (leaf_id, idx) VALUES (?, ?) ON CONFLICT DO NOTHING`,
        leafId,
        first.size + i,
      )
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

  /**
   * Drops the ids of a period. What was not acknowledged before a time is kept by itself. The newest period ends at the
   * size of the log.
   */
  dropPeriod(period: number, before: number, size: number): void {
    const first = this.#one<Period>('SELECT * FROM periods WHERE period = ?', period)?.first_index ?? 0
    const next = this.#one<Period>('SELECT * FROM periods WHERE period > ? ORDER BY period LIMIT 1', period)
    const isKnown = new Uint8Array((next?.first_index ?? size) - first)
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
