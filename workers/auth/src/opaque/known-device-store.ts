import type { KnownDevice } from '@svc/protocol/auth/account-pages'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashTextHex } from '@svc/protocol/base/hash'

/** How long a device is known after it last signed in. */
const KNOWN_MS = 180 * 24 * 3_600_000
/** Known devices per account: a new one replaces the oldest. */
const MAX_KNOWN_DEVICES = 8
/** Expired ones deleted with each new one: more than are added, so that none accumulate. */
const SWEPT_AT_ONCE = 16

/** Devices that have signed in with a password, in D1, by the hash of what they show. A new password forgets them. */
export class KnownDeviceStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async add(token: string, accountId: string, label: string | null, now: number): Promise<void> {
    const deviceId = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
    const insert = `INSERT INTO known_devices (token_hash, device_id, account_id, label, created_at, expires_at)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM accounts WHERE account_id = ?3)`
    const expired = `SELECT token_hash FROM known_devices WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE}`
    const kept = `SELECT token_hash FROM known_devices WHERE account_id = ?1
      ORDER BY created_at DESC, token_hash LIMIT ${MAX_KNOWN_DEVICES}`
    await reaching('accounts', () =>
      this.#db.batch([
        this.#db.prepare(insert).bind(hashTextHex(token), deviceId, accountId, label, now, now + KNOWN_MS),
        this.#db.prepare(`DELETE FROM known_devices WHERE token_hash IN (${expired})`).bind(now),
        this.#db
          .prepare(`DELETE FROM known_devices WHERE account_id = ?1 AND token_hash NOT IN (${kept})`)
          .bind(accountId),
      ]),
    )
  }

  /** It has signed in again. False if it is no longer known. */
  async renew(token: string, accountId: string, label: string | null, now: number): Promise<boolean> {
    const update = this.#db
      .prepare(
        `UPDATE known_devices SET expires_at = ?3, label = coalesce(?4, label)
         WHERE token_hash = ?1 AND account_id = ?2 AND expires_at > ?5`,
      )
      .bind(hashTextHex(token), accountId, now + KNOWN_MS, label, now)
    return (await reaching('accounts', () => update.run())).meta.changes === 1
  }

  /** Newest first. */
  async list(accountId: string, now: number): Promise<KnownDevice[]> {
    const select = this.#db
      .prepare(
        `SELECT device_id, label, created_at, expires_at FROM known_devices WHERE account_id = ? AND expires_at > ?
         ORDER BY created_at DESC, device_id`,
      )
      .bind(accountId, now)
    const { results } = await reaching('accounts', () =>
      select.all<{ device_id: string; label: string | null; created_at: number; expires_at: number }>(),
    )
    return results.map(({ device_id: deviceId, label, created_at: createdAt, expires_at: expiresAt }) => ({
      deviceId,
      label,
      createdAt,
      expiresAt,
    }))
  }

  /** How many were forgotten: one, or all of the account. */
  async forget(accountId: string, deviceId: string | null): Promise<number> {
    const statement = this.#db
      .prepare('DELETE FROM known_devices WHERE account_id = ?1 AND (?2 IS NULL OR device_id = ?2)')
      .bind(accountId, deviceId)
    return (await reaching('accounts', () => statement.run())).meta.changes
  }

  async isKnown(token: string, now: number): Promise<boolean> {
    const select = this.#db
      .prepare('SELECT 1 AS one FROM known_devices WHERE token_hash = ? AND expires_at > ?')
      .bind(hashTextHex(token), now)
    return (await reaching('accounts', () => select.first<number>('one'))) === 1
  }
}
