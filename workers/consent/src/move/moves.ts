import type { Sql } from '@svc/objects'
import type { Packable } from './packing.ts'

/**
 * `copying`: records are copied, and those that change are copied again. `sealed`: writes wait for the last changes, or the
 * bucket opens again. `raising`: the target has all, and the placement is raised; there is no way back. `opening`: the
 * bucket is given away, and the target opens it. `deleting`: what is left here is deleted.
 */
export type MoveState = 'copying' | 'sealed' | 'raising' | 'opening' | 'deleting'

export interface MoveRow {
  readonly bucket: number
  readonly target: string
  readonly version: number
  readonly state: MoveState
  /** The last identifier that was copied; null when all were. */
  readonly cursor: string | null
  readonly sealedAt: number | null
}
type Row = { [K in keyof MoveRow]: MoveRow[K] }

const COLUMNS = 'bucket, target, version, state, cursor, sealed_at AS sealedAt'

/** The moves from this store, each with how far it is. Everything runs inside a transaction of the store. */
export class MoveTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  of(bucket: number): MoveRow | null {
    return this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM moves WHERE bucket = ?`, bucket).toArray()[0] ?? null
  }

  all(): MoveRow[] {
    return this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM moves ORDER BY bucket`).toArray()
  }

  begin(bucket: number, target: string, version: number): void {
    const insert = "INSERT INTO moves (bucket, target, version, state, cursor) VALUES (?, ?, ?, 'copying', '')"
    this.#sql.exec(insert, bucket, target, version)
  }

  set(bucket: number, state: MoveState, sealedAt: number | null = null): void {
    this.#sql.exec('UPDATE moves SET state = ?2, sealed_at = ?3 WHERE bucket = ?1', bucket, state, sealedAt)
  }

  copied(bucket: number, cursor: string | null): void {
    this.#sql.exec('UPDATE moves SET cursor = ?2 WHERE bucket = ?1', bucket, cursor)
  }

  end(bucket: number): void {
    this.#sql.exec('DELETE FROM moves WHERE bucket = ?', bucket)
    this.#sql.exec('DELETE FROM changes WHERE bucket = ?', bucket)
  }

  /** In each transaction that changes a record: while its bucket is copied, the record has to be copied again. */
  note(bucket: number, record: number): void {
    this.#sql.exec(
      `INSERT INTO changes (bucket, record) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM moves WHERE bucket = ?1)
       ON CONFLICT DO NOTHING`,
      bucket,
      record,
    )
  }

  /** The target has these revisions; what has changed since stays noted. */
  sent(bucket: number, records: readonly Packable[]): void {
    for (const { id, revision } of records) {
      this.#sql.exec(
        `DELETE FROM changes WHERE bucket = ?1 AND record = ?2
           AND EXISTS (SELECT 1 FROM records WHERE id = ?2 AND revision = ?3)`,
        bucket,
        id,
        revision,
      )
    }
  }

  changes(bucket: number): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM changes WHERE bucket = ?', bucket).one().n
  }
}
