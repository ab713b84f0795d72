import { reaching } from '@svc/protocol/base/dependency-fault'
import type { LICENCE_TIERS, Licence } from '@svc/protocol/pay/licences'

export interface NewCode {
  readonly codeHash: string
  readonly tier: (typeof LICENCE_TIERS)[number]
  readonly redeemableUntil: number
  readonly licenceDays: number
}

interface Row {
  tier: (typeof LICENCE_TIERS)[number]
  expires_at: number
}

/** Activation codes and licences in D1. A code is redeemed only by a conditional write. */
export class LicenceStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Idempotent: keeps an existing code. */
  async issue({ codeHash, tier, redeemableUntil, licenceDays }: NewCode, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO activation_codes (code_hash, tier, redeemable_until, licence_days, issued_at)
         VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(codeHash, tier, redeemableUntil, licenceDays, now)
    await reaching('licences', () => statement.run())
  }

  /**
   * One transaction: the code is marked as used and the licence granted, or neither. Null if the code is unknown,
   * expired or redeemed by another identity. Idempotent: the identity that redeemed it gets the same licence.
   */
  async redeem(codeHash: string, did: string, now: number): Promise<Licence | null> {
    const [, , found] = await reaching('licences', () =>
      this.#db.batch<Row & { redeemed_by: string | null }>([
        // Before the code is marked as used: a second run finds it used and grants nothing.
        this.#db
          .prepare(
            `INSERT INTO licences (did, tier, expires_at, granted_at)
             SELECT ?2, tier, ?3 + licence_days * 86400000, ?3 FROM activation_codes
             WHERE code_hash = ?1 AND redeemed_by IS NULL AND redeemable_until > ?3
             ON CONFLICT (did) DO UPDATE SET tier = excluded.tier, granted_at = excluded.granted_at,
               expires_at = max(licences.expires_at, ?3) + (excluded.expires_at - ?3)`,
          )
          .bind(codeHash, did, now),
        this.#db
          .prepare(
            `UPDATE activation_codes SET redeemed_by = ?2, redeemed_at = ?3
             WHERE code_hash = ?1 AND redeemed_by IS NULL AND redeemable_until > ?3`,
          )
          .bind(codeHash, did, now),
        this.#db
          .prepare(
            `SELECT l.tier, l.expires_at, c.redeemed_by FROM activation_codes c JOIN licences l ON l.did = c.redeemed_by
             WHERE c.code_hash = ? AND c.redeemed_by = ?`,
          )
          .bind(codeHash, did),
      ]),
    )
    const [row] = found?.results ?? []
    return row ? licenceOf(row, now) : null
  }

  async find(did: string, now: number): Promise<Licence> {
    const statement = this.#db.prepare('SELECT tier, expires_at FROM licences WHERE did = ?').bind(did)
    const row = await reaching('licences', () => statement.first<Row>())
    return row ? licenceOf(row, now) : { licensed: false, tier: null, expiresAt: null }
  }
}

function licenceOf({ tier, expires_at: expiresAt }: Row, now: number): Licence {
  return { licensed: expiresAt > now, tier, expiresAt }
}
