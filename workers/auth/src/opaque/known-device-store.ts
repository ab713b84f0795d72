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

  async add(token: string, accountId: string, now: number): Promise<void> {
    const insert = `INSERT INTO known_devices (token_hash, account_id, created_at, expires_at) VALUES (?, ?, ?, ?)`
    const expired = `SELECT token_hash FROM known_devices WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE}`
    const kept = `SELECT token_hash FROM known_devices WHERE account_id = ?1
      ORDER BY created_at DESC, token_hash LIMIT ${MAX_KNOWN_DEVICES}`
    await reaching('accounts', () =>
      this.#db.batch([
        this.#db.prepare(insert).bind(hashTextHex(token), accountId, now, now + KNOWN_MS),
        this.#db.prepare(`DELETE FROM known_devices WHERE token_hash IN (${expired})`).bind(now),
        this.#db
          .prepare(`DELETE FROM known_devices WHERE account_id = ?1 AND token_hash NOT IN (${kept})`)
          .bind(accountId),
      ]),
    )
  }

  async isKnown(token: string, now: number): Promise<boolean> {
    const select = this.#db
      .prepare('SELECT 1 AS one FROM known_devices WHERE token_hash = ? AND expires_at > ?')
      .bind(hashTextHex(token), now)
    return (await reaching('accounts', () => select.first<number>('one'))) === 1
  }
}
