import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashesOf, type Names } from '../keyring.ts'

export interface NewAccount {
  readonly accountId: string
  /** Null if the person registered without a provider. */
  readonly subject: Names | null
}

/** Accounts and their people at providers, in D1. An account is created with its first credential. */
export class AccountStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async hasSubject(subject: Names): Promise<boolean> {
    return (await this.ofSubject(subject)) !== null
  }

  /** The account of a person at a provider, and how often it was recovered. */
  async ofSubject(subject: Names): Promise<{ readonly accountId: string; readonly recoveries: number } | null> {
    const statement = this.#db
      .prepare(
        `SELECT account_id, recoveries FROM subjects JOIN accounts USING (account_id)
         WHERE subject_hash IN (SELECT value FROM json_each(?))`,
      )
      .bind(hashesOf(subject))
    const row = await reaching('accounts', () => statement.first<{ account_id: string; recoveries: number }>())
    return row && { accountId: row.account_id, recoveries: row.recoveries }
  }

  /** From now on under the newest version of the seed: the person has just been at the provider. */
  async renameSubject([newest, ...earlier]: Names): Promise<void> {
    if (earlier.length === 0) return
    const update = this.#db
      .prepare(
        `UPDATE OR IGNORE subjects SET subject_hash = ?1, seed_version = ?2
         WHERE subject_hash IN (SELECT value FROM json_each(?3))`,
      )
      .bind(newest.hash, newest.version, JSON.stringify(earlier.map(({ hash }) => hash)))
    await reaching('accounts', () => update.run())
  }

  /** Whether no recovery has happened since a grant was given out. */
  async awaitsRecovery(accountId: string, recoveries: number): Promise<boolean> {
    const statement = this.#db
      .prepare('SELECT 1 AS found FROM accounts WHERE account_id = ? AND recoveries = ?')
      .bind(accountId, recoveries)
    return (await reaching('accounts', () => statement.first())) !== null
  }

  /** One transaction: everything that is stored of an account. Its sessions and grants end with it. */
  async remove(accountId: string): Promise<void> {
    const tables = ['passkeys', 'opaque_records', 'subjects', 'known_devices', 'sessions', 'accounts']
    const deletes = tables.map((table) => this.#db.prepare(`DELETE FROM ${table} WHERE account_id = ?`).bind(accountId))
    await reaching('accounts', () => this.#db.batch(deletes))
  }

  /** What else can sign in to an account. */
  async credentialsOf(accountId: string): Promise<{ readonly hasPassword: boolean; readonly passkeys: number }> {
    const statement = this.#db
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM opaque_records WHERE account_id = ?1) AS password,
                (SELECT count(*) FROM passkeys WHERE account_id = ?1) AS passkeys`,
      )
      .bind(accountId)
    const row = await reaching('accounts', () => statement.first<{ password: number; passkeys: number }>())
    return { hasPassword: row?.password === 1, passkeys: row?.passkeys ?? 0 }
  }
}

/**
 * Creates an account in the batch that wrote its first credential, which is where `written` finds it. If that credential
 * was not written, neither is the account.
 */
export function accountStatements(
  db: D1Database,
  { accountId, subject }: NewAccount,
  written: 'opaque_records' | 'passkeys',
  now: number,
): D1PreparedStatement[] {
  const there = `WHERE EXISTS (SELECT 1 FROM ${written} WHERE account_id = ?1)`
  const account = db
    .prepare(`INSERT INTO accounts (account_id, created_at) SELECT ?1, ?2 ${there}`)
    .bind(accountId, now)
  if (subject === null) return [account]
  const [{ hash, version }] = subject
  const insert = db.prepare(`INSERT INTO subjects (subject_hash, account_id, seed_version) SELECT ?2, ?1, ?3 ${there}`)
  return [account, insert.bind(accountId, hash, version)]
}

/**
 * Whether a person at a provider has no account yet, as a SQL condition on the parameter of that number: what
 * `subjectParameter` returns.
 */
export const subjectIsFree = (parameter: number) =>
  `NOT EXISTS (SELECT 1 FROM subjects WHERE subject_hash IN (SELECT value FROM json_each(?${parameter})))`

/** Of nobody, no row has the hash. */
export const subjectParameter = (subject: Names | null) => (subject === null ? '[]' : hashesOf(subject))
