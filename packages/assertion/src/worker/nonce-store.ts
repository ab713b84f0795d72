/** Part of the first migration step of every schema with nonces; must not change once released. */
export const NONCE_TABLES = `
  CREATE TABLE IF NOT EXISTS nonces (
    signer TEXT NOT NULL, nonce TEXT NOT NULL, keep_until INTEGER NOT NULL, PRIMARY KEY (signer, nonce)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS nonces_by_time ON nonces (keep_until);`

/**
 * Spent nonces in one object's SQLite. Keyed by signer and nonce, so that one signer cannot use up another's.
 *
 * A nonce is kept until its assertion can no longer be accepted anywhere (expiry plus skew). Later assertions are
 * refused here, too; otherwise two copies verified just before that time and arriving just after it would both be
 * accepted.
 */
export class NonceStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Spends a nonce inside the caller's transaction. */
  spend(signer: string, nonce: string, keepUntil: number, now: number): 'spent' | 'replay' | 'expired' {
    if (keepUntil <= now) return 'expired'
    const inserted = this.#sql
      .exec(
        'INSERT INTO nonces (signer, nonce, keep_until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1',
        signer,
        nonce,
        keepUntil,
      )
      .toArray()
    return inserted.length === 1 ? 'spent' : 'replay'
  }

  isSpent(signer: string, nonce: string): boolean {
    return this.#sql.exec('SELECT 1 FROM nonces WHERE signer = ? AND nonce = ?', signer, nonce).toArray().length > 0
  }

  /** Deletes nonces that can no longer be replayed. */
  prune(now: number): void {
    this.#sql.exec('DELETE FROM nonces WHERE keep_until <= ?', now)
  }

  earliestExpiry(): number | null {
    return this.#sql.exec<{ earliest: number | null }>('SELECT min(keep_until) AS earliest FROM nonces').one().earliest
  }
}
