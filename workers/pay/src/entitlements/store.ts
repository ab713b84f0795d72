import { reaching } from '@svc/protocol/base/dependency-fault'
import type { LICENCE_SOURCES } from '@svc/protocol/operator/acts'
import type { Tier } from '@svc/protocol/pay/tiers'
import { DAY_MS, GRACE_MS, type StoredGrant } from './rules.ts'

interface Row {
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

/** Grants `g` that a code waits for: paid or redeemed time. A licence or a plan runs beside them, and can be revoked. */
const STACKED = `(g.source IN ('pass', 'code') OR (g.source = 'subscription' AND g.renews = 0))`

export interface NewCode {
  readonly codeHash: string
  readonly tier: Tier
  readonly redeemableUntil: number
  readonly days: number
}

export interface NewLicence {
  readonly did: string
  readonly source: (typeof LICENCE_SOURCES)[number]
  readonly tier: Tier
  readonly expiresAt: number
  /** When the operator signed the act. */
  readonly issuedAt: number
}

export const GRANT = `id, did, tier, source, status, period_start, period_end, renews, grace_until, next_tier,
  subscription_id, as_of, version`
/** A grant as it is read: with the times whose payment went back. */
const READ = `${GRANT}, (SELECT json_group_array(json_object('from', covers_from, 'until', covers_until, 'reversed', reversed))
  FROM reversals WHERE grant_id = grants.id AND reversed IS NOT NULL) AS reversals`
/** More than anyone pays for at once; for an owner with more, those that end last count. */
const MAX_GRANTS = 100

/** Grants and codes in D1. Codes are redeemed only by a conditional write. */
export class EntitlementStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Every grant that may apply now or later: one that ended longer ago than the grace period gives nothing. */
  async current(did: string, now: number): Promise<StoredGrant[]> {
    const statement = this.#db
      .prepare(
        `SELECT ${READ} FROM grants WHERE did = ? AND period_end > ? ORDER BY period_end DESC, id LIMIT ${MAX_GRANTS}`,
      )
      .bind(did, now - GRACE_MS)
    const { results } = await reaching('entitlements', () => statement.all<Row>())
    return results.map(grantOfRow)
  }

  async find(id: string): Promise<StoredGrant | null> {
    const statement = this.#db.prepare(`SELECT ${READ} FROM grants WHERE id = ?`).bind(id)
    const row = await reaching('entitlements', () => statement.first<Row>())
    return row && grantOfRow(row)
  }

  /** Ends a grant as `ended` says, unless it changed since it was read. Returns whether it was written. */
  async end(ended: StoredGrant): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `UPDATE grants SET status = 'ended', period_end = ?3, renews = 0, grace_until = NULL, next_tier = NULL,
           version = ?2
         WHERE id = ?1 AND version = ?2 - 1`,
      )
      .bind(ended.id, ended.version, ended.periodEnd)
    const { meta } = await reaching('entitlements', () => statement.run())
    return meta.changes > 0
  }

  /**
   * The one licence or plan of an identity. Idempotent. Of two acts, the one issued later wins, in whatever order they
   * arrive; at the same instant, the revocation wins.
   */
  async grantLicence({ did, source, tier, expiresAt, issuedAt }: NewLicence, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO grants (${GRANT}) VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?6, 0, NULL, NULL, NULL, ?7, 1)
         ON CONFLICT (id) DO UPDATE SET tier = ?3, status = 'active', period_end = ?6, as_of = ?7, version = version + 1,
           period_start = CASE WHEN status = 'active' AND period_end > ?5 THEN period_start ELSE ?5 END
         WHERE as_of < ?7`,
      )
      .bind(`${source}:${did}`, did, tier, source, now, expiresAt, issuedAt)
    await reaching('entitlements', () => statement.run())
  }

  /** Keeps a row even if there was nothing to revoke, so that an older grant that comes late does nothing. */
  async revokeLicence({ did, source, issuedAt }: Omit<NewLicence, 'tier' | 'expiresAt'>, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO grants (${GRANT}) VALUES (?1, ?2, 'notes', ?3, 'ended', ?4, ?4, 0, NULL, NULL, NULL, ?5, 1)
         ON CONFLICT (id) DO UPDATE SET status = 'ended', period_end = max(period_start, min(period_end, ?4)), as_of = ?5,
           version = version + 1
         WHERE as_of <= ?5`,
      )
      .bind(`${source}:${did}`, did, source, now, issuedAt)
    await reaching('entitlements', () => statement.run())
  }

  /** Idempotent per code. */
  async issue({ codeHash, tier, redeemableUntil, days }: NewCode, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO entitlement_codes (code_hash, tier, days, redeemable_until, issued_at)
         VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(codeHash, tier, days, redeemableUntil, now)
    await reaching('entitlements', () => statement.run())
  }

  /**
   * One transaction: marks the code as used and creates its grant, or does neither. Null if the code is unknown, expired or
   * another identity's; for the identity that redeemed it, returns its grant.
   */
  async redeem(codeHash: string, did: string, now: number): Promise<StoredGrant | null> {
    const id = `code:${codeHash.slice(0, 32)}`
    const [, , found] = await reaching('entitlements', () =>
      this.#db.batch<Row>([
        // Before the code is marked as used: a second run finds it used and grants nothing more. The grant starts when
        // earlier grants of the same tier have ended.
        this.#db
          .prepare(
            `INSERT INTO grants (${GRANT})
             SELECT ?4, ?2, tier, 'code', 'active', begins, begins + days * ${DAY_MS}, 0, NULL, NULL, NULL, ?3, 1
             FROM (SELECT c.tier, c.days, max(?3, coalesce((SELECT max(g.period_end) FROM grants g
                     WHERE g.did = ?2 AND g.tier = c.tier AND ${STACKED}
                       AND NOT EXISTS (SELECT 1 FROM reversals r WHERE r.grant_id = g.id AND r.reversed IS NOT NULL)), 0)) AS begins
                   FROM entitlement_codes c
                   WHERE c.code_hash = ?1 AND c.redeemed_by IS NULL AND c.redeemable_until > ?3)
             WHERE true ON CONFLICT DO NOTHING`,
          )
          .bind(codeHash, did, now, id),
        this.#db
          .prepare(
            `UPDATE entitlement_codes SET redeemed_by = ?2, redeemed_at = ?3
             WHERE code_hash = ?1 AND redeemed_by IS NULL AND redeemable_until > ?3`,
          )
          .bind(codeHash, did, now),
        this.#db
          .prepare(
            `SELECT ${READ} FROM grants WHERE id = ?3 AND EXISTS (
               SELECT 1 FROM entitlement_codes WHERE code_hash = ?1 AND redeemed_by = ?2)`,
          )
          .bind(codeHash, did, id),
      ]),
    )
    const [row] = found?.results ?? []
    return row ? grantOfRow(row) : null
  }
}

function grantOfRow(row: Row): StoredGrant {
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
