import type { SignInMethod } from '@svc/protocol/auth/sign-in'
import { reaching } from '@svc/protocol/base/dependency-fault'

export interface StoredSession {
  readonly accountId: string
  readonly method: SignInMethod
  readonly expiresAt: number
}

/** Concurrent sessions per person; a new one replaces the oldest. */
const MAX_SESSIONS = 8

/** Expired sessions deleted with each new one: more than are added, so that none accumulate. */
const SWEPT_AT_ONCE = 16

/** Whether a session of the account is valid, as a SQL condition on the parameters of those numbers. */
export const sessionIsLive = (hash: number, account: number, now: number) =>
  `EXISTS (SELECT 1 FROM sessions WHERE token_hash = ?${hash} AND account_id = ?${account} AND expires_at > ?${now})`

/** Sessions in D1, by the hash of their token. */
export class SessionStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** False if the account is gone. */
  async put(tokenHash: string, { accountId, method, expiresAt }: StoredSession, now: number): Promise<boolean> {
    const kept = `SELECT token_hash FROM sessions WHERE account_id = ?1 ORDER BY created_at DESC, token_hash LIMIT ${MAX_SESSIONS}`
    const [inserted] = await reaching('accounts', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO sessions (token_hash, account_id, method, created_at, expires_at)
             SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM accounts WHERE account_id = ?2)`,
          )
          .bind(tokenHash, accountId, method, now, expiresAt),
        this.#db
          .prepare(
            `DELETE FROM sessions WHERE token_hash IN (
               SELECT token_hash FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE})`,
          )
          .bind(now),
        this.#db.prepare(`DELETE FROM sessions WHERE account_id = ?1 AND token_hash NOT IN (${kept})`).bind(accountId),
      ]),
    )
    return inserted?.meta.changes === 1
  }

  async find(tokenHash: string, now: number): Promise<StoredSession | null> {
    const statement = this.#db
      .prepare('SELECT account_id, method, expires_at FROM sessions WHERE token_hash = ? AND expires_at > ?')
      .bind(tokenHash, now)
    const row = await reaching('accounts', () =>
      statement.first<{ account_id: string; method: SignInMethod; expires_at: number }>(),
    )
    return row && { accountId: row.account_id, method: row.method, expiresAt: row.expires_at }
  }

  /** Whether the session is valid and belongs to this account. */
  async isLive(tokenHash: string, accountId: string, now: number): Promise<boolean> {
    return (await this.find(tokenHash, now))?.accountId === accountId
  }

  async delete(tokenHash: string): Promise<void> {
    const statement = this.#db.prepare('DELETE FROM sessions WHERE token_hash = ?').bind(tokenHash)
    await reaching('accounts', () => statement.run())
  }
}
