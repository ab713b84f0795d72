/**
 * Nonces that were spent, in one object's SQLite. Keyed by signer and nonce, so nobody can burn another's.
 *
 * A nonce is remembered until its assertion could no longer be accepted by anyone (expiry plus skew), and an
 * assertion past that time is refused here too: two copies that were verified just before it and arrive just
 * after it would otherwise both be taken.
 */
export class NonceStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  static createTables(sql: SqlStorage): void {
    sql.exec(
      `CREATE TABLE IF NOT EXISTS nonces (
         signer TEXT NOT NULL, nonce TEXT NOT NULL, keep_until INTEGER NOT NULL, PRIMARY KEY (signer, nonce)
       ) STRICT, WITHOUT ROWID`,
    )
    sql.exec('CREATE INDEX IF NOT EXISTS nonces_by_time ON nonces (keep_until)')
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

  /** Forgets what can no longer be replayed. */
  prune(now: number): void {
    this.#sql.exec('DELETE FROM nonces WHERE keep_until <= ?', now)
  }

  earliestExpiry(): number | null {
    return this.#sql.exec<{ earliest: number | null }>('SELECT min(keep_until) AS earliest FROM nonces').one().earliest
  }
}
