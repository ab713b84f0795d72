import { reaching } from '@svc/protocol/dependency-fault'
import { accountStatements, type NewAccount, subjectIsFree } from '../accounts/account-store.ts'
import { sessionIsLive } from '../sessions/session-store.ts'

export interface StoredRecord {
  readonly accountId: string
  readonly record: Uint8Array
}

/** Registration records in D1, by the keyed hash of the identifier. One for an account. */
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

  /** A new account with its password. Where the identifier is taken nothing changes, and nobody is told. */
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
   * The password of an account that exists, under this identifier from now on, and every session ends. Where the
   * identifier is another account's nothing changes, and nobody is told. False where the session that asked is over.
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
      // Last, because the others ask for one of them.
      this.#db.prepare(`DELETE FROM sessions WHERE account_id = ?2 AND ${own}`).bind(...about),
    ]
    const [asked] = await reaching('accounts', () => this.#db.batch<{ live: number }>(statements))
    return asked?.results[0]?.live === 1
  }
}
