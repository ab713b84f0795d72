import type { Sql } from '@svc/objects'
import type { Totals } from './blob-index.ts'
import type { VaultUsage } from './rules.ts'

const REFERENCES = 'SELECT cipher_hash FROM versions UNION ALL SELECT cipher_hash FROM attachments'

/** Compares the index of a vault’s blobs with the records that refer to them, to mend it. */
export class BlobAudit {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Blobs whose stored reference count differs from the actual one. */
  miscounted(): { readonly cipherHash: string; readonly recorded: number; readonly actual: number }[] {
    return this.#sql
      .exec<{ cipher_hash: string; recorded: number; actual: number }>(
        `SELECT cipher_hash, blobs.refs AS recorded, coalesce(counted.n, 0) AS actual
         FROM blobs LEFT JOIN (SELECT cipher_hash, count(*) AS n FROM (${REFERENCES}) GROUP BY cipher_hash) AS counted
              USING (cipher_hash)
         WHERE blobs.refs <> coalesce(counted.n, 0) ORDER BY cipher_hash`,
      )
      .toArray()
      .map(({ cipher_hash: cipherHash, recorded, actual }) => ({ cipherHash, recorded, actual }))
  }

  /** Ciphertexts that records refer to but the index has lost. */
  unindexed(): string[] {
    return this.#sql
      .exec<{ cipher_hash: string }>(
        `SELECT DISTINCT cipher_hash FROM (${REFERENCES}) WHERE cipher_hash NOT IN (SELECT cipher_hash FROM blobs)
         ORDER BY cipher_hash`,
      )
      .toArray()
      .map((row) => row.cipher_hash)
  }

  /** The actual totals. */
  measured(): VaultUsage {
    return this.#sql
      .exec<Totals>(
        `SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS objects,
                (SELECT count(*) FROM versions) + (SELECT count(*) FROM attachments) AS refs FROM blobs`,
      )
      .one()
  }

  setUsage({ bytes, objects, refs }: VaultUsage): void {
    this.#sql.exec(
      `UPDATE usage SET bytes = ?, objects = ?, refs = ?,
         records = (SELECT coalesce(sum(length(record)), 0) FROM versions)`,
      bytes,
      objects,
      refs,
    )
  }
}
