import { reaching } from '@svc/protocol/base/dependency-fault'
import type { LICENCE_SOURCES } from '@svc/protocol/operator/acts'
import type { Tier } from '@svc/protocol/pay/tiers'
import { GRANT, type GrantRow, GrantTable, grantOfRow } from './grant-table.ts'
import { DAY_MS, type StoredGrant } from './rules.ts'

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

/**
 * What the operator gives: licences, plans, and codes with the grants of those that were redeemed. In the database that no
 * caller can fill, so that the operator can give and revoke whatever happens to the other one.
 */
export class IssuedStore {
  readonly grants: GrantTable
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
    // Nothing was paid, so no payment goes back.
    this.grants = new GrantTable(db, 'issued_grants', `'[]'`)
  }

  /**
   * The one licence or plan of an identity. Idempotent. Of two acts, the one issued later wins, in whatever order they
   * arrive; at the same instant, the revocation wins.
   */
  async grantLicence({ did, source, tier, expiresAt, issuedAt }: NewLicence, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO issued_grants (${GRANT}) VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?6, 0, NULL, NULL, NULL, ?7, 1)
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
        `INSERT INTO issued_grants (${GRANT}) VALUES (?1, ?2, 'notes', ?3, 'ended', ?4, ?4, 0, NULL, NULL, NULL, ?5, 1)
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
   * Withdraws a code that nobody has redeemed: it has expired, by anybody's clock, and a repetition of the act that issued
   * it changes nothing. Idempotent.
   */
  async withdrawCode(codeHash: string): Promise<'withdrawn' | 'redeemed' | 'unknown'> {
    const update = this.#db
      .prepare('UPDATE entitlement_codes SET redeemable_until = 0 WHERE code_hash = ? AND redeemed_by IS NULL')
      .bind(codeHash)
    const find = this.#db
      .prepare('SELECT redeemed_by IS NOT NULL AS redeemed FROM entitlement_codes WHERE code_hash = ?')
      .bind(codeHash)
    const [, found] = await reaching('entitlements', () => this.#db.batch<{ redeemed: number }>([update, find]))
    const row = found?.results[0]
    if (!row) return 'unknown'
    return row.redeemed === 1 ? 'redeemed' : 'withdrawn'
  }

  /** The tier of a code that this identity can redeem or has redeemed. */
  async tierOf(codeHash: string, did: string, now: number): Promise<Tier | null> {
    const statement = this.#db
      .prepare(
        `SELECT tier FROM entitlement_codes
         WHERE code_hash = ?1 AND (redeemed_by = ?2 OR (redeemed_by IS NULL AND redeemable_until > ?3))`,
      )
      .bind(codeHash, did, now)
    return reaching('entitlements', () => statement.first<Tier>('tier'))
  }

  /**
   * One transaction: marks the code as used and creates its grant, or does neither. The grant starts at `from`, or when
   * redeemed time of the same tier has ended. Null if the code is unknown, expired or another identity's; for the identity
   * that redeemed it, returns its grant.
   */
  async redeem(codeHash: string, did: string, from: number, now: number): Promise<StoredGrant | null> {
    const id = `code:${codeHash.slice(0, 32)}`
    const [, , owned, found] = await reaching('entitlements', () =>
      this.#db.batch<GrantRow>([
        // Before the code is marked as used: a second run finds it used and grants nothing more.
        this.#db
          .prepare(
            `INSERT INTO issued_grants (${GRANT})
             SELECT ?4, ?2, tier, 'code', 'active', begins, begins + days * ${DAY_MS}, 0, NULL, NULL, NULL, ?3, 1
             FROM (SELECT c.tier, c.days, max(?5, coalesce((SELECT max(g.period_end) FROM issued_grants g
                     WHERE g.did = ?2 AND g.tier = c.tier AND g.source = 'code'), 0)) AS begins
                   FROM entitlement_codes c
                   WHERE c.code_hash = ?1 AND c.redeemed_by IS NULL AND c.redeemable_until > ?3)
             WHERE true ON CONFLICT DO NOTHING`,
          )
          .bind(codeHash, did, now, id, from),
        this.#db
          .prepare(
            `UPDATE entitlement_codes SET redeemed_by = ?2, redeemed_at = ?3
             WHERE code_hash = ?1 AND redeemed_by IS NULL AND redeemable_until > ?3`,
          )
          .bind(codeHash, did, now),
        this.#db.prepare('SELECT 1 FROM entitlement_codes WHERE code_hash = ? AND redeemed_by = ?').bind(codeHash, did),
        this.grants.finding(id),
      ]),
    )
    const [row] = found?.results ?? []
    return row && owned?.results.length ? grantOfRow(row) : null
  }
}
