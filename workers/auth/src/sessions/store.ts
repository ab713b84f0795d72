import type { ListedSession } from '@svc/protocol/auth/account-pages'
import type { SignInMethod } from '@svc/protocol/auth/sign-in'
import { encodeBase64url } from '@svc/protocol/base/base64url'
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

/** `last_used_at` is written at most this often, so a page that polls costs no write each time. */
const LAST_USED_STEP_MS = 60_000

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
  async put(tokenHash: string, session: StoredSession, now: number): Promise<boolean> {
    const [inserted] = await reaching('accounts', () => this.#db.batch(this.opening(tokenHash, session, now)))
    return inserted?.meta.changes === 1
  }

  /**
   * What opens a session, in one batch: the first statement inserts it, unless the account is gone. With `afterChange`, it
   * is inserted only if the statement before it in the batch changed a row.
   */
  opening(
    tokenHash: string,
    { accountId, method, expiresAt }: StoredSession,
    now: number,
    { afterChange = false } = {},
  ): D1PreparedStatement[] {
    const sessionId = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
    const expired = `SELECT token_hash FROM sessions WHERE expires_at <= ?2 ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE}`
    const older = `SELECT token_hash FROM sessions WHERE account_id = ?1
                   ORDER BY created_at DESC, token_hash LIMIT -1 OFFSET ${MAX_SESSIONS}`
    return [
      this.#db
        .prepare(
          `INSERT INTO sessions (token_hash, account_id, method, created_at, expires_at, session_id, last_used_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?4 WHERE EXISTS (SELECT 1 FROM accounts WHERE account_id = ?2)
           ${afterChange ? 'AND changes() > 0' : ''}`,
        )
        .bind(tokenHash, accountId, method, now, expiresAt, sessionId),
      this.#db
        .prepare(
          `DELETE FROM sessions WHERE token_hash IN (
             SELECT token_hash FROM (${expired}) UNION ALL SELECT token_hash FROM (${older}))`,
        )
        .bind(accountId, now),
    ]
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

  /** Notes that it was used, to the minute. */
  async touch(tokenHash: string, now: number): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE sessions SET last_used_at = ?2 WHERE token_hash = ?1 AND last_used_at <= ?3')
      .bind(tokenHash, now, now - LAST_USED_STEP_MS)
    await reaching('accounts', () => statement.run())
  }

  /** The valid ones of an account, newest first. */
  async list(accountId: string, tokenHash: string, now: number): Promise<ListedSession[]> {
    const statement = this.#db
      .prepare(
        `SELECT session_id, method, created_at, last_used_at, expires_at, token_hash = ?2 AS is_current FROM sessions
         WHERE account_id = ?1 AND expires_at > ?3 ORDER BY created_at DESC, session_id`,
      )
      .bind(accountId, tokenHash, now)
    const { results } = await reaching('accounts', () =>
      statement.all<{
        session_id: string
        method: SignInMethod
        created_at: number
        last_used_at: number
        expires_at: number
        is_current: number
      }>(),
    )
    return results.map((row) => ({
      sessionId: row.session_id,
      method: row.method,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      expiresAt: row.expires_at,
      isCurrent: row.is_current === 1,
    }))
  }

  /** How many ended: the one of that public id. Grants that were requested with it end too. */
  async end(accountId: string, sessionId: string): Promise<number> {
    const statement = this.#db
      .prepare('DELETE FROM sessions WHERE account_id = ? AND session_id = ?')
      .bind(accountId, sessionId)
    return (await reaching('accounts', () => statement.run())).meta.changes
  }

  /** How many ended: all of the account but this one. */
  async endOthers(accountId: string, tokenHash: string): Promise<number> {
    const statement = this.#db
      .prepare('DELETE FROM sessions WHERE account_id = ? AND token_hash <> ?')
      .bind(accountId, tokenHash)
    return (await reaching('accounts', () => statement.run())).meta.changes
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
