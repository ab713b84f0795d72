import { reaching } from '@svc/protocol/base/dependency-fault'
import { proofOf, stands } from '../accounts/standing.ts'
import { accountStatements, type NewAccount, subjectIsFree } from '../accounts/store.ts'
import type { Standing } from '../ceremony/rules.ts'

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

  /** A new account with its password. False if the identifier is taken or the person has an account: nothing changes. */
  async create(account: NewAccount, identifierHash: string, record: Uint8Array, now: number): Promise<boolean> {
    const { accountId, subjectHash } = account
    const insert = this.#db
      .prepare(
        `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at)
         SELECT ?1, ?2, ?3, ?4 WHERE ${subjectIsFree(5)} ON CONFLICT DO NOTHING`,
      )
      .bind(identifierHash, accountId, record, now, subjectHash)
    const statements = [insert, ...accountStatements(this.#db, account, 'opaque_records', now)]
    const [inserted] = await reaching('accounts', () => this.#db.batch(statements))
    return inserted?.meta.changes === 1
  }

  /**
   * Sets the password of an existing account, under this identifier from now on, and ends all its sessions. `ended` if
   * the grant is no longer good, `taken` if the identifier belongs to another account: nothing changes.
   */
  async replace(
    { accountId, standing }: { readonly accountId: string; readonly standing: Standing },
    identifierHash: string,
    record: Uint8Array,
    now: number,
  ): Promise<'replaced' | 'ended' | 'taken'> {
    const live = stands(standing, { proof: 3, account: 2, now: 4 })
    const own = `${live} AND NOT EXISTS (SELECT 1 FROM opaque_records WHERE identifier_hash = ?1 AND account_id <> ?2)`
    const about = [identifierHash, accountId, proofOf(standing), now] as const
    const statements = [
      this.#db.prepare(`SELECT ${live} AS live, ${own} AS own`).bind(...about),
      this.#db.prepare(`DELETE FROM opaque_records WHERE account_id = ?2 AND ${own}`).bind(...about),
      this.#db
        .prepare(
          `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at)
           SELECT ?1, ?2, ?5, ?4 WHERE ${live} ON CONFLICT DO NOTHING`,
        )
        .bind(...about, record),
      this.#db.prepare(`DELETE FROM known_devices WHERE account_id = ?2 AND ${own}`).bind(...about),
      // Last, because the others require one of them, or the number.
      this.#db.prepare(`DELETE FROM sessions WHERE account_id = ?2 AND ${own}`).bind(...about),
    ]
    if (standing.by === 'recovery') {
      const count = `UPDATE accounts SET recoveries = recoveries + 1 WHERE account_id = ?2 AND ${own}`
      statements.push(this.#db.prepare(count).bind(...about))
    }
    const [asked] = await reaching('accounts', () => this.#db.batch<{ live: number; own: number }>(statements))
    const row = asked?.results[0]
    if (row?.live !== 1) return 'ended'
    return row.own === 1 ? 'replaced' : 'taken'
  }
}
