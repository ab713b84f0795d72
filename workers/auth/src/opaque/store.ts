import { reaching } from '@svc/protocol/base/dependency-fault'
import { proofOf, stands } from '../accounts/standing.ts'
import { accountStatements, type NewAccount, subjectIsFree, subjectParameter } from '../accounts/store.ts'
import type { Standing } from '../ceremony/rules.ts'
import { hashesOf, type Name, type Names } from '../keyring.ts'
import { nearestOf } from './nearest.ts'

export interface StoredRecord {
  readonly accountId: string
  readonly record: Uint8Array
}

/** What a login is answered from. */
export interface Found {
  /** The version of the seed: that of the record, or of the one that stands nearest to the identifier. */
  readonly name: Name
  readonly stored: StoredRecord | null
}

export interface NewRecord {
  readonly identifier: Names
  /** The name of the identifier under the version of the seed that the record was made under. */
  readonly name: Name
  readonly record: Uint8Array
}

interface Row {
  readonly identifier_hash: string
  readonly account_id: string
  readonly record: number[]
}

const COLUMNS = 'identifier_hash, account_id, record'
/** The record at a hash or the next one after it, of one version, and after the last the first. */
const NEXT = `SELECT ${COLUMNS} FROM opaque_records WHERE seed_version = ?1 AND identifier_hash = coalesce(
  (SELECT min(identifier_hash) FROM opaque_records WHERE seed_version = ?1 AND identifier_hash >= ?2),
  (SELECT min(identifier_hash) FROM opaque_records WHERE seed_version = ?1))`

/**
 * Registration records in D1, by the keyed hash of the identifier, each with the version of the seed that it was made under.
 * One per account.
 */
export class OpaqueStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** The same reads with and without a record: see `nearestOf`. */
  async find(identifier: Names): Promise<Found> {
    const statements = identifier.map(({ version, hash }) => this.#db.prepare(NEXT).bind(version, hash))
    const answers = await reaching('accounts', () => this.#db.batch<Row>(statements))
    const rows = answers.map(({ results }) => results[0] ?? null)
    const index = nearestOf(
      identifier.map(({ hash }) => hash),
      rows.map((row) => row?.identifier_hash ?? null),
    )
    const [name = identifier[0], row] = [identifier[index], rows[index]]
    const isOwn = row?.identifier_hash === name.hash
    return { name, stored: isOwn ? { accountId: row.account_id, record: Uint8Array.from(row.record) } : null }
  }

  /** A new account with its password. False if the identifier is taken or the person has an account: nothing changes. */
  async create(account: NewAccount, { identifier, name, record }: NewRecord, now: number): Promise<boolean> {
    const { accountId, subject } = account
    const insert = this.#db
      .prepare(
        `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at, seed_version)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${subjectIsFree(6)}
           AND NOT EXISTS (SELECT 1 FROM opaque_records WHERE identifier_hash IN (SELECT value FROM json_each(?7)))
         ON CONFLICT DO NOTHING`,
      )
      .bind(name.hash, accountId, record, now, name.version, subjectParameter(subject), hashesOf(identifier))
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
    { identifier, name, record }: NewRecord,
    now: number,
  ): Promise<'replaced' | 'ended' | 'taken'> {
    const live = stands(standing, { proof: 3, account: 2, now: 4 })
    const others = 'identifier_hash IN (SELECT value FROM json_each(?1)) AND account_id <> ?2'
    const own = `${live} AND NOT EXISTS (SELECT 1 FROM opaque_records WHERE ${others})`
    const about = [hashesOf(identifier), accountId, proofOf(standing), now] as const
    const statements = [
      this.#db.prepare(`SELECT ${live} AS live, ${own} AS own`).bind(...about),
      this.#db.prepare(`DELETE FROM opaque_records WHERE account_id = ?2 AND ${own}`).bind(...about),
      this.#db
        .prepare(
          `INSERT INTO opaque_records (identifier_hash, account_id, record, updated_at, seed_version)
           SELECT ?5, ?2, ?6, ?4, ?7 WHERE ${own} ON CONFLICT DO NOTHING`,
        )
        .bind(...about, name.hash, record, name.version),
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
