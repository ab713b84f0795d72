import { reaching } from '@svc/protocol/base/dependency-fault'
import { statementHash } from '@svc/protocol/base/statement'
import {
  MAX_MEMBER_REPORTS,
  MAX_PAGE_GENERATIONS,
  MAX_VAULT_GENERATIONS,
  type PublishVaultKey,
  type SignedVaultKey,
  type VaultGeneration,
  type VaultWrap,
} from '@svc/protocol/keys/epoch-vault'
import { MEMBERS_NOW } from './member-store.ts'
import { coveredBy } from './rules.ts'

/** The keys of vaults, as they were signed and wrapped. */
export class VaultKeyStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Adds the next key with what each member gets, if it still is the next one and for exactly the members of this moment.
   * Of concurrent calls one adds; adding the same statement again changes nothing. Returns whether it is the one.
   */
  async publish({ key, wraps }: PublishVaultKey, now: number): Promise<boolean> {
    const { epoch, generation, previous, publisher } = key.statement
    const hash = statementHash(key.statement)
    const insert = this.#db
      .prepare(
        `INSERT INTO epoch_vault_keys (epoch, generation, hash, members, signed, published_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE EXISTS (SELECT 1 FROM epochs WHERE epoch = ?1 AND closes_at > ?6)
           AND EXISTS (SELECT 1 FROM epoch_vault_members WHERE epoch = ?1 AND did = ?7)
           AND ?2 <= ?9 AND ?2 = coalesce((SELECT max(generation) FROM epoch_vault_keys WHERE epoch = ?1), 0) + 1
           AND ?8 = coalesce((SELECT hash FROM epoch_vault_keys WHERE epoch = ?1 AND generation = ?2 - 1), '')
           AND ?4 = ${MEMBERS_NOW}
           AND NOT EXISTS (SELECT 1 FROM epoch_vault_keys
             WHERE epoch = ?1 AND generation = ?2 - 1 AND members = ?4 AND reported_by IS NULL)
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        epoch,
        generation,
        hash,
        coveredBy(key.statement),
        JSON.stringify(key),
        now,
        publisher,
        previous ?? '',
        MAX_VAULT_GENERATIONS,
      )
    const give = this.#db
      .prepare(
        `INSERT INTO epoch_vault_wraps (epoch, generation, did, wrap)
         SELECT ?1, ?2, json_extract(value, '$.did'), value FROM json_each(?3)
         WHERE EXISTS (SELECT 1 FROM epoch_vault_keys WHERE epoch = ?1 AND generation = ?2 AND hash = ?4)
         ON CONFLICT DO NOTHING`,
      )
      .bind(epoch, generation, JSON.stringify(wraps), hash)
    const find = this.#db
      .prepare('SELECT 1 AS one FROM epoch_vault_keys WHERE epoch = ? AND generation = ? AND hash = ?')
      .bind(epoch, generation, hash)
    const results = await reaching('epoch vaults', () => this.#db.batch([insert, give, find]))
    return results.at(-1)?.results.length === 1
  }

  /** Newest first, with what this member gets of each. */
  async page(
    epoch: number,
    did: string,
    before: number,
  ): Promise<{ readonly generations: VaultGeneration[]; readonly next: number | null }> {
    const find = this.#db
      .prepare(
        `SELECT k.generation, k.signed, k.published_at, k.reported_by, w.wrap FROM epoch_vault_keys k
         LEFT JOIN epoch_vault_wraps w ON w.epoch = k.epoch AND w.generation = k.generation AND w.did = ?2
         WHERE k.epoch = ?1 AND k.generation < ?3 ORDER BY k.generation DESC LIMIT ?4`,
      )
      .bind(epoch, did, before, MAX_PAGE_GENERATIONS + 1)
    const { results } = await reaching('epoch vaults', () => find.all<KeyRow>())
    const shown = results.slice(0, MAX_PAGE_GENERATIONS)
    const next = results.length > MAX_PAGE_GENERATIONS ? (shown.at(-1)?.generation ?? null) : null
    return { generations: shown.map(generationOf), next }
  }

  /**
   * Notes that a member cannot open the newest key, so that the next writer publishes another. The first report counts.
   * Returns who reported it; or why it was not noted.
   */
  async report(
    epoch: number,
    generation: number,
    did: string,
  ): Promise<{ readonly reportedBy: string } | 'not_newest' | 'not_covered' | 'too_many'> {
    const note = this.#db
      .prepare(
        `UPDATE epoch_vault_keys SET reported_by = ?3 WHERE epoch = ?1 AND generation = ?2 AND reported_by IS NULL
           AND generation = (SELECT max(generation) FROM epoch_vault_keys WHERE epoch = ?1)
           AND EXISTS (SELECT 1 FROM epoch_vault_wraps WHERE epoch = ?1 AND generation = ?2 AND did = ?3)
           AND (SELECT count(*) FROM epoch_vault_keys WHERE epoch = ?1 AND reported_by = ?3) < ?4`,
      )
      .bind(epoch, generation, did, MAX_MEMBER_REPORTS)
    const find = this.#db
      .prepare(
        `SELECT k.reported_by, w.did FROM epoch_vault_keys k
         LEFT JOIN epoch_vault_wraps w ON w.epoch = k.epoch AND w.generation = k.generation AND w.did = ?3
         WHERE k.epoch = ?1 AND k.generation = ?2
           AND k.generation = (SELECT max(generation) FROM epoch_vault_keys WHERE epoch = ?1)`,
      )
      .bind(epoch, generation, did)
    const results = await reaching('epoch vaults', () =>
      this.#db.batch<{ readonly reported_by: string | null; readonly did: string | null }>([note, find]),
    )
    const row = results.at(-1)?.results[0]
    if (!row) return 'not_newest'
    if (row.did === null) return 'not_covered'
    return row.reported_by === null ? 'too_many' : { reportedBy: row.reported_by }
  }
}

interface KeyRow {
  readonly generation: number
  readonly signed: string
  readonly published_at: number
  readonly reported_by: string | null
  readonly wrap: string | null
}

function generationOf({ signed, published_at: publishedAt, reported_by: reportedBy, wrap }: KeyRow): VaultGeneration {
  return {
    key: JSON.parse(signed) as SignedVaultKey,
    wrap: wrap === null ? null : (JSON.parse(wrap) as VaultWrap),
    publishedAt,
    reportedBy,
  }
}
