import { reaching } from '@svc/protocol/base/dependency-fault'
import { MAX_VAULT_MEMBERS, VAULT_KEPT_MS, type VaultMembers } from '@svc/protocol/keys/epoch-vault'
import { SWEPT_AT_ONCE, sweepRows } from '../upkeep/sweep.ts'
import type { VaultState } from './rules.ts'

/** The sorted JSON array of the members of the epoch ?1, which keys are compared with. */
export const MEMBERS_NOW = `(SELECT json_group_array(did) FROM
  (SELECT did FROM epoch_vault_members WHERE epoch = ?1 ORDER BY did))`

/** The rows of a vault, by the table and the column that orders them for the sweep. */
const KEPT_TABLES = ['epoch_vault_notes', 'epoch_vault_wraps', 'epoch_vault_keys', 'epoch_admissions'] as const

type Members = VaultMembers['members']

/** Who is in the vault of an epoch. Removal takes effect with one batch: every later read and write asks the same rows. */
export class VaultMemberStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** The vault, if this identity is a member of it now and it is still kept; otherwise null, whatever the reason. */
  async find(epoch: number, did: string, now: number): Promise<VaultState | null> {
    const find = this.#db
      .prepare(
        `SELECT e.closes_at, ${MEMBERS_NOW} AS members, k.generation, k.hash, k.members AS covered, k.reported_by
         FROM epochs e LEFT JOIN epoch_vault_keys k ON k.epoch = e.epoch
           AND k.generation = (SELECT max(generation) FROM epoch_vault_keys WHERE epoch = ?1)
         WHERE e.epoch = ?1 AND e.closes_at > ?2
           AND EXISTS (SELECT 1 FROM epoch_vault_members WHERE epoch = ?1 AND did = ?3)`,
      )
      .bind(epoch, now - VAULT_KEPT_MS, did)
    const row = await reaching('epoch vaults', () => find.first<StateRow>())
    if (!row) return null
    const { closes_at: closesAt, members, generation, hash, covered, reported_by: reportedBy } = row
    const newest =
      generation !== null && hash !== null && covered !== null ? { generation, hash, covered, reportedBy } : null
    return { epoch, closesAt, members, newest }
  }

  async list(epoch: number): Promise<Members> {
    const find = this.#db
      .prepare('SELECT did, admitted_at, acknowledged_at FROM epoch_vault_members WHERE epoch = ? ORDER BY did')
      .bind(epoch)
    const { results } = await reaching('epoch vaults', () =>
      find.all<{ readonly did: string; readonly admitted_at: number; readonly acknowledged_at: number }>(),
    )
    return results.map(({ did, admitted_at: admittedAt, acknowledged_at: acknowledgedAt }) => ({
      did,
      admittedAt,
      acknowledgedAt,
    }))
  }

  /** Idempotent. A member may be admitted before it joins. */
  async admit(epoch: number, did: string, now: number): Promise<'admitted' | 'no_epoch' | 'vault_member_limit'> {
    const insert = this.#db
      .prepare(
        `INSERT INTO epoch_admissions (epoch, did, admitted_at) SELECT ?1, ?2, ?3
         WHERE EXISTS (SELECT 1 FROM epochs WHERE epoch = ?1 AND closes_at > ?3)
           AND (SELECT count(*) FROM epoch_admissions WHERE epoch = ?1 AND removed_at IS NULL) < ?4
         ON CONFLICT (epoch, did) DO UPDATE SET admitted_at = ?3, removed_at = NULL WHERE removed_at IS NOT NULL`,
      )
      .bind(epoch, did, now, MAX_VAULT_MEMBERS)
    const find = this.#db
      .prepare('SELECT 1 AS one FROM epoch_admissions WHERE epoch = ? AND did = ? AND removed_at IS NULL')
      .bind(epoch, did)
    const open = this.#db.prepare('SELECT 1 AS one FROM epochs WHERE epoch = ? AND closes_at > ?').bind(epoch, now)
    const [, found, isOpen] = await reaching('epoch vaults', () => this.#db.batch([insert, find, open]))
    if (isOpen?.results.length === 0) return 'no_epoch'
    return found?.results.length === 1 ? 'admitted' : 'vault_member_limit'
  }

  /**
   * Ends a membership, by the operator or by the member, and deletes its notes. What it got of the keys stays, and opens
   * them again if it is readmitted before the others have a new one. Idempotent. Returns false if it was never admitted.
   */
  async remove(epoch: number, did: string, now: number): Promise<boolean> {
    const end = this.#db
      .prepare('UPDATE epoch_admissions SET removed_at = ?3 WHERE epoch = ?1 AND did = ?2 AND removed_at IS NULL')
      .bind(epoch, did, now)
    const find = this.#db.prepare('SELECT 1 AS one FROM epoch_admissions WHERE epoch = ? AND did = ?').bind(epoch, did)
    const erase = this.#db.prepare('DELETE FROM epoch_vault_notes WHERE author = ?1 AND epoch = ?2').bind(did, epoch)
    const results = await reaching('epoch vaults', () => this.#db.batch([end, erase, find]))
    return results.at(-1)?.results.length === 1
  }

  /** Of an identity that was deactivated: it leaves every vault. */
  async forget(did: string): Promise<void> {
    const erase = [
      'DELETE FROM epoch_admissions WHERE did = ?',
      'DELETE FROM epoch_vault_notes WHERE author = ?',
      'DELETE FROM epoch_vault_wraps WHERE did = ?',
    ].map((sql) => this.#db.prepare(sql).bind(did))
    await reaching('epoch vaults', () => this.#db.batch(erase))
  }

  /** Deletes vaults of epochs that closed 30 days ago. From then on, no route shows them. */
  async sweep(now: number): Promise<void> {
    for (const table of KEPT_TABLES) {
      const closed = 'SELECT epoch FROM epochs WHERE closes_at <= ?1'
      await sweepRows(this.#db.prepare(sweepSql(table, closed)).bind(now - VAULT_KEPT_MS, SWEPT_AT_ONCE))
    }
  }
}

/** Literal for each table; wraps have no rowid, and go by their key. */
function sweepSql(table: (typeof KEPT_TABLES)[number], closed: string): string {
  if (table === 'epoch_vault_wraps') {
    return `DELETE FROM epoch_vault_wraps WHERE (epoch, did, generation) IN
      (SELECT epoch, did, generation FROM epoch_vault_wraps WHERE epoch IN (${closed}) LIMIT ?2)`
  }
  return `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE epoch IN (${closed}) LIMIT ?2)`
}

interface StateRow {
  readonly closes_at: number
  readonly members: string
  readonly generation: number | null
  readonly hash: string | null
  readonly covered: string | null
  readonly reported_by: string | null
}
