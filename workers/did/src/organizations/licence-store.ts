import { reaching } from '@svc/protocol/base/dependency-fault'
import type { DidOperatorAct } from '@svc/protocol/operator/acts'

/** Licences of organizations in D1. */
export class LicenceStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async isActive(orgDid: string, now: number): Promise<boolean> {
    const statement = this.#db
      .prepare('SELECT 1 AS active FROM org_licences WHERE org = ?1 AND expires_at > ?2')
      .bind(orgDid, now)
    return (await reaching('licences', () => statement.first())) !== null
  }

  /**
   * Applies an act. Idempotent. Of two acts, the one issued later wins, in whatever order they arrive; at the same
   * instant, the revocation wins.
   */
  async set({ nonce, orgDid, action, expiresAt, issuedAt }: DidOperatorAct['statement']): Promise<void> {
    const licence = this.#db
      .prepare(
        `INSERT INTO org_licences (org, expires_at, issued_at, nonce) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (org) DO UPDATE SET expires_at = ?2, issued_at = ?3, nonce = ?4
         WHERE issued_at < ?3 OR (issued_at = ?3 AND ?2 IS NULL)`,
      )
      .bind(orgDid, action === 'grant' ? expiresAt : null, issuedAt, nonce)
    await reaching('licences', () => licence.run())
  }
}
