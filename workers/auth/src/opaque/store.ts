import { reaching } from '@svc/protocol/base/dependency-fault'
import { accountStatements, type NewAccount, subjectIsFree } from '../accounts/store.ts'
import { sessionIsLive } from '../sessions/store.ts'

export interface StoredRecord {
  readonly accountId: string
  readonly record: Uint8Array
}

/** Registration records in D1, by the keyed hash of the identifier. One per account. */
export class OpaqueStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async find(identifierHash: string): Promise<StoredRecord | null> {
    const statement = this.#db
      .prepare('SELECT account_id, record FROM opaque_records WHERE identifier_hash = ?')
      .bind(identifierHash)
    const row = await reaching('accounts', () => statement.first<{ account_id: string; record: number[] }>())
    return row && { accountId: row.account_id, record: Uint8Array.from(row.record) }
  }

  /** A new account with its password. If the identifier is taken, nothing changes, and the caller is not told. */
  async create(account: NewAccount, identifierHash: string, record: Uint8Array, now: number): Promise<void> {
    const { accountId, subjectHash } = account
    const insert = this.#db
      .prepare(
        `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at)
         SELECT ?1, ?2, ?3, ?4 WHERE ${subjectIsFree(5)} ON CONFLICT DO NOTHING`,
      )
      .bind(identifierHash, accountId, record, now, subjectHash)
    const statements = [insert, ...accountStatements(this.#db, account, 'opaque_records', now)]
    await reaching('accounts', () => this.#db.batch(statements))
  }

  /**
   * Sets the password of an existing account, under this identifier from now on, and ends all its sessions. If the
   * identifier belongs to another account, nothing changes, and the caller is not told. False if the asking session ended.
   */
  async replace(
    { accountId, sessionHash }: { readonly accountId: string; readonly sessionHash: string },
    identifierHash: string,
    record: Uint8Array,
    now: number,
  ): Promise<boolean> {
    const live = sessionIsLive(3, 2, 4)
    const own = `${live} AND NOT EXISTS (SELECT 1 FROM opaque_records WHERE identifier_hash = ?1 AND account_id <> ?2)`
    const about = [identifierHash, accountId, sessionHash, now] as const
    const statements = [
      this.#db.prepare(`SELECT ${live} AS live WHERE ?1 = ?1`).bind(...about),
      this.#db.prepare(`DELETE FROM opaque_records WHERE account_id = ?2 AND ${own}`).bind(...about),
      this.#db
        .prepare(
          `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at)
           SELECT ?1, ?2, ?5, ?4 WHERE ${live} ON CONFLICT DO NOTHING`,
        )
        .bind(...about, record),
      this.#db.prepare(`DELETE FROM known_devices WHERE account_id = ?2 AND ${own}`).bind(...about),
      // Last, because the others require one of them.
      this.#db.prepare(`DELETE FROM sessions WHERE account_id = ?2 AND ${own}`).bind(...about),
    ]
    const [asked] = await reaching('accounts', () => this.#db.batch<{ live: number }>(statements))
    return asked?.results[0]?.live === 1
  }
}
