import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Tier } from '@svc/protocol/pay/tiers'
import type { StoredGrant } from './rules.ts'

export interface GrantRow {
  id: string
  did: string
  tier: Tier
  source: StoredGrant['source']
  status: StoredGrant['status']
  period_start: number
  period_end: number
  renews: 0 | 1
  grace_until: number | null
  next_tier: Tier | null
  subscription_id: string | null
  as_of: number
  version: number
  /** JSON of `Reversal[]`. */
  reversals: string
}

export const GRANT = `id, did, tier, source, status, period_start, period_end, renews, grace_until, next_tier,
  subscription_id, as_of, version`

/** A table of grants, of one or the other database. `reversals` is the SQL of a grant's `Reversal[]` as JSON. */
export class GrantTable {
  readonly #db: D1Database
  readonly #table: string
  readonly #columns: string

  constructor(db: D1Database, table: string, reversals: string) {
    this.#db = db
    this.#table = table
    this.#columns = `${GRANT}, ${reversals} AS reversals`
  }

  /** Grants that end after a time; of more than `most`, those that end last. */
  async endingAfter(did: string, time: number, most: number): Promise<StoredGrant[]> {
    const statement = this.#db
      .prepare(
        `SELECT ${this.#columns} FROM ${this.#table} WHERE did = ? AND period_end > ?
         ORDER BY period_end DESC, id LIMIT ?`,
      )
      .bind(did, time, most)
    const { results } = await reaching('entitlements', () => statement.all<GrantRow>())
    return results.map(grantOfRow)
  }

  async find(id: string): Promise<StoredGrant | null> {
    const row = await reaching('entitlements', () => this.finding(id).first<GrantRow>())
    return row && grantOfRow(row)
  }

  finding(id: string): D1PreparedStatement {
    return this.#db.prepare(`SELECT ${this.#columns} FROM ${this.#table} WHERE id = ?`).bind(id)
  }

  /**
   * Ends a grant as `ended` says, unless it changed since it was read. Returns whether it was written. `also` runs in the
   * same transaction, after it.
   */
  async end(ended: StoredGrant, also: readonly D1PreparedStatement[] = []): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `UPDATE ${this.#table} SET status = 'ended', period_end = ?3, renews = 0, grace_until = NULL, next_tier = NULL,
           version = ?2
         WHERE id = ?1 AND version = ?2 - 1`,
      )
      .bind(ended.id, ended.version, ended.periodEnd)
    const [written] = await reaching('entitlements', () => this.#db.batch([statement, ...also]))
    return written !== undefined && written.meta.changes > 0
  }
}

export function grantOfRow(row: GrantRow): StoredGrant {
  return {
    id: row.id,
    did: row.did,
    tier: row.tier,
    source: row.source,
    status: row.status,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    renews: row.renews === 1,
    graceUntil: row.grace_until,
    nextTier: row.next_tier,
    subscriptionId: row.subscription_id,
    asOf: row.as_of,
    version: row.version,
    reversals: JSON.parse(row.reversals) as StoredGrant['reversals'],
  }
}
