import { type LocallyWrapped, locallyWrappedSchema } from '@svc/protocol/auth/local-wrap'
import type { Passkey } from '@svc/protocol/auth/passkeys'
import { MAX_PASSKEYS } from '@svc/protocol/auth/sign-in'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { proofOf, stands } from '../accounts/standing.ts'
import { accountStatements, subjectIsFree, subjectParameter } from '../accounts/store.ts'
import type { Beneficiary, Standing } from '../ceremony/rules.ts'
import { withoutAccount } from '../sessions/service.ts'

export interface NewPasskey {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
  readonly label: string
  readonly isBackedUp: boolean
  /** Whether copies of its key may exist; see `mayBeCopied`. */
  readonly isBackupEligible: boolean
}

export interface StoredPasskey extends NewPasskey {
  readonly accountId: string
}

type Used = Pick<NewPasskey, 'credentialId' | 'counter' | 'isBackedUp' | 'isBackupEligible'>

interface Row {
  credential_id: string
  account_id: string
  public_key: number[]
  counter: number
  transports: string
  label: string
  is_backed_up: number
  is_backup_eligible: number
  created_at: number
  last_used_at: number | null
  counter_went_back_at: number | null
}

const COLUMNS = `credential_id, account_id, public_key, counter, transports, label, is_backed_up, is_backup_eligible,
  created_at, last_used_at, counter_went_back_at`

/** A secret that is kept with a passkey. Only the passkey's PRF output opens it. */
export interface KeptSecret {
  readonly wrapped: LocallyWrapped
  readonly updatedAt: number
}

/** Public keys of passkeys, in D1. */
export class PasskeyStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * False if the credential is already registered, the account has reached its limit, the grant is no longer good, or the
   * person has an account. A recovery ends all sessions and forgets the known devices.
   */
  async add(account: Beneficiary, passkey: NewPasskey, now: number): Promise<boolean> {
    const { accountId, subject, standing } = account
    const { credentialId, publicKey, counter, transports, label, isBackedUp, isBackupEligible } = passkey
    const room =
      standing === null
        ? subjectIsFree(10)
        : `${stands(standing, { proof: 10, account: 2, now: 8 })}
           AND (SELECT count(*) FROM passkeys WHERE account_id = ?2) < ${MAX_PASSKEYS}`
    const insert = this.#db
      .prepare(
        `INSERT INTO passkeys (credential_id, account_id, public_key, counter, transports, label, is_backed_up, created_at,
                               is_backup_eligible)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${room} ON CONFLICT DO NOTHING`,
      )
      .bind(
        credentialId,
        accountId,
        publicKey,
        counter,
        JSON.stringify(transports),
        label,
        isBackedUp ? 1 : 0,
        now,
        isBackupEligible ? 1 : 0,
        standing === null ? subjectParameter(subject) : proofOf(standing),
      )
    const made = standing === null ? accountStatements(this.#db, { accountId, subject }, 'passkeys', now) : []
    const ended = standing?.by === 'recovery' ? this.#recoveryStatements(accountId, credentialId, standing, now) : []
    const [inserted] = await reaching('accounts', () => this.#db.batch([insert, ...made, ...ended]))
    return inserted?.meta.changes === 1
  }

  /** After the passkey was written, which is where they find that it was. The number goes last: the others require it. */
  #recoveryStatements(accountId: string, credentialId: string, standing: Standing, now: number): D1PreparedStatement[] {
    const written = `account_id = ?2 AND ${stands(standing, { proof: 3, account: 2, now: 4 })}
      AND EXISTS (SELECT 1 FROM passkeys WHERE credential_id = ?1 AND account_id = ?2 AND created_at = ?4)`
    return [
      `DELETE FROM sessions WHERE ${written}`,
      `DELETE FROM known_devices WHERE ${written}`,
      `UPDATE accounts SET recoveries = recoveries + 1 WHERE ${written}`,
    ].map((sql) => this.#db.prepare(sql).bind(credentialId, accountId, proofOf(standing), now))
  }

  async find(credentialId: string): Promise<StoredPasskey | null> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM passkeys WHERE credential_id = ?`).bind(credentialId)
    const row = await reaching('accounts', () => statement.first<Row>())
    return (
      row && {
        credentialId: row.credential_id,
        accountId: row.account_id,
        publicKey: Uint8Array.from(row.public_key),
        counter: row.counter,
        transports: JSON.parse(row.transports) as string[],
        label: row.label,
        isBackedUp: row.is_backed_up === 1,
        isBackupEligible: row.is_backup_eligible === 1,
      }
    )
  }

  async list(accountId: string): Promise<Passkey[]> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM passkeys WHERE account_id = ? ORDER BY created_at, credential_id`)
      .bind(accountId)
    const { results } = await reaching('accounts', () => statement.all<Row>())
    return results.map(shown)
  }

  /**
   * Opens the session of a passkey that was used. False if the counter does not advance: the same rule as
   * `counterAdvances`, enforced where requests race. `max` is the rule of `mayBeCopied`.
   */
  async use(
    { credentialId, counter, isBackedUp, isBackupEligible }: Used,
    opening: readonly D1PreparedStatement[],
    now: number,
  ): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `UPDATE passkeys SET counter = ?2, is_backed_up = ?3, last_used_at = ?4,
                             is_backup_eligible = max(is_backup_eligible, ?5)
         WHERE credential_id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))`,
      )
      .bind(credentialId, counter, isBackedUp ? 1 : 0, now, isBackupEligible ? 1 : 0)
    const [used, opened] = await reaching('accounts', () => this.#db.batch([statement, ...opening]))
    if (used?.meta.changes !== 1) return false
    if (opened?.meta.changes !== 1) throw withoutAccount()
    return true
  }

  async reportCounter(credentialId: string, now: number): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE passkeys SET counter_went_back_at = ?2 WHERE credential_id = ?1')
      .bind(credentialId, now)
    await reaching('accounts', () => statement.run())
  }

  async rename(accountId: string, credentialId: string, label: string): Promise<Passkey | null> {
    const statement = this.#db
      .prepare(`UPDATE passkeys SET label = ?3 WHERE credential_id = ?2 AND account_id = ?1 RETURNING ${COLUMNS}`)
      .bind(accountId, credentialId, label)
    const row = await reaching('accounts', () => statement.first<Row>())
    return row && shown(row)
  }

  async secretOf(accountId: string, credentialId: string): Promise<KeptSecret | null> {
    const statement = this.#db
      .prepare(
        `SELECT local_secret, local_secret_at FROM passkeys
         WHERE credential_id = ? AND account_id = ? AND local_secret IS NOT NULL`,
      )
      .bind(credentialId, accountId)
    const row = await reaching('accounts', () => statement.first<{ local_secret: string; local_secret_at: number }>())
    return row && { wrapped: locallyWrappedSchema.parse(JSON.parse(row.local_secret)), updatedAt: row.local_secret_at }
  }

  /** Null removes it. False if the account has no such passkey. */
  async keepSecret(
    accountId: string,
    credentialId: string,
    wrapped: LocallyWrapped | null,
    now: number,
  ): Promise<boolean> {
    const statement = this.#db
      .prepare(
        'UPDATE passkeys SET local_secret = ?3, local_secret_at = ?4 WHERE credential_id = ?1 AND account_id = ?2',
      )
      .bind(credentialId, accountId, wrapped && JSON.stringify(wrapped), wrapped && now)
    return (await reaching('accounts', () => statement.run())).meta.changes === 1
  }

  /**
   * Never removes the last way to sign in: the condition is in the DELETE statement. All other sessions end with the
   * passkey, because its holder may have started them.
   */
  async remove(accountId: string, credentialId: string, sessionHash: string): Promise<boolean> {
    const isRemovable = `EXISTS (SELECT 1 FROM passkeys WHERE credential_id = ?2 AND account_id = ?1)
      AND (EXISTS (SELECT 1 FROM opaque_records WHERE account_id = ?1)
           OR (SELECT count(*) FROM passkeys WHERE account_id = ?1) > 1)`
    const [, removed] = await reaching('accounts', () =>
      this.#db.batch([
        this.#db
          .prepare(`DELETE FROM sessions WHERE account_id = ?1 AND token_hash <> ?3 AND ${isRemovable}`)
          .bind(accountId, credentialId, sessionHash),
        this.#db
          .prepare(`DELETE FROM passkeys WHERE credential_id = ?2 AND account_id = ?1 AND ${isRemovable}`)
          .bind(accountId, credentialId),
      ]),
    )
    return removed?.meta.changes === 1
  }
}

function shown(row: Row): Passkey {
  return {
    passkeyId: row.credential_id,
    label: row.label,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    isBackedUp: row.is_backed_up === 1,
    counterWentBackAt: row.counter_went_back_at,
  }
}
