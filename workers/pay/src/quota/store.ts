import type { Sql } from '@svc/objects'
import type { QuotaKind } from '@svc/protocol/pay/tiers'
import type { MeterState, Origin, Use, UseState } from './rules.ts'

type UseRow = {
  origin: Origin
  key: string
  kind: QuotaKind
  amount: number
  period: string
  state: UseState
  expires_at: number
  receipt: string | null
  reversal: string | null
}

/** Meters and uses in one object's SQLite. Every method runs inside the caller's transaction. */
export class QuotaStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  meter(kind: QuotaKind, period: string, now: number): MeterState {
    const { used, reserved } = this.#sql
      .exec<{ used: number; reserved: number }>(
        `SELECT coalesce((SELECT used FROM meters WHERE kind = ?1 AND period = ?2), 0) AS used,
                coalesce((SELECT sum(amount) FROM uses WHERE state = 'reserved' AND period = ?2 AND kind = ?1
                          AND expires_at > ?3), 0) AS reserved`,
        kind,
        period,
        now,
      )
      .one()
    return { used, reserved }
  }

  /** Adds to a meter, which never goes below zero. Returns its value. */
  move(kind: QuotaKind, period: string, by: number): number {
    return this.#sql
      .exec<{ used: number }>(
        `INSERT INTO meters (kind, period, used) VALUES (?1, ?2, max(?3, 0))
         ON CONFLICT (kind, period) DO UPDATE SET used = max(used + ?3, 0) RETURNING used`,
        kind,
        period,
        by,
      )
      .one().used
  }

  find(origin: Origin, key: string): Use | null {
    const [row] = this.#sql
      .exec<UseRow>(
        `SELECT origin, key, kind, amount, period, state, expires_at, receipt, reversal FROM uses
         WHERE origin = ? AND key = ?`,
        origin,
        key,
      )
      .toArray()
    return row ? useOf(row) : null
  }

  /** A new use, or another one under a key whose reservation ended. */
  put({ origin, key, kind, amount, period, state, expiresAt, receipt, reversal }: Use): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO uses (origin, key, kind, amount, period, state, expires_at, receipt, reversal)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      origin,
      key,
      kind,
      amount,
      period,
      state,
      expiresAt,
      receipt,
      reversal,
    )
  }

  countKeys(): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM uses').one().n
  }

  /** When the first reservation expires; null if there is none. */
  earliestExpiry(): number | null {
    return this.#sql
      .exec<{ earliest: number | null }>(`SELECT min(expires_at) AS earliest FROM uses WHERE state = 'reserved'`)
      .one().earliest
  }

  /** Ends the expired reservations. */
  releaseExpired(now: number): void {
    this.#sql.exec(`UPDATE uses SET state = 'expired' WHERE state = 'reserved' AND expires_at <= ?`, now)
  }

  /** Deletes uses of earlier months, a limited number at a time; returns how many. */
  forget(oldestKept: string, limit: number): number {
    const forgotten = this.#sql
      .exec(
        `DELETE FROM uses WHERE (origin, key) IN (SELECT origin, key FROM uses WHERE period < ? LIMIT ?) RETURNING 1`,
        oldestKept,
        limit,
      )
      .toArray().length
    if (forgotten < limit) this.#sql.exec('DELETE FROM meters WHERE period < ?', oldestKept)
    return forgotten
  }

  isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM uses LIMIT 1').toArray().length === 0
  }
}

function useOf({ expires_at, ...row }: UseRow): Use {
  return { ...row, expiresAt: expires_at }
}
