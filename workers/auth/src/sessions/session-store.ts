import { reaching } from '@svc/protocol/dependency-fault'
import type { SignInMethod } from '@svc/protocol/sign-in'

export interface StoredSession {
  readonly accountId: string
  readonly method: SignInMethod
  readonly expiresAt: number
}

/** Devices on which one person is signed in at a time; the oldest session makes room. */
const MAX_SESSIONS = 8

/** Sessions that are over and go with each new one: more than come, so that none stay. */
const SWEPT_AT_ONCE = 16

/** Whether a session of the account is in force, as a condition in SQL on the parameters of those numbers. */
export const sessionIsLive = (hash: number, account: number, now: number) =>
  `EXISTS (SELECT 1 FROM sessions WHERE token_hash = ?${hash} AND account_id = ?${account} AND expires_at > ?${now})`

/** Sessions in D1, by the hash of their token. */
export class SessionStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** False where the account is gone. */
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

  /** Whether the session is in force, and of this account. */
  async isLive(tokenHash: string, accountId: string, now: number): Promise<boolean> {
    return (await this.find(tokenHash, now))?.accountId === accountId
  }

  async delete(tokenHash: string): Promise<void> {
    const statement = this.#db.prepare('DELETE FROM sessions WHERE token_hash = ?').bind(tokenHash)
    await reaching('accounts', () => statement.run())
  }
}
