import type { Sql } from './sql.ts'

export const REPLACEMENT_TABLE = 'replacement'
/** SQLite in an object takes at most 2 MB in one value. */
const MAX_BYTES_OF_PART = 1024 * 1024

/**
 * What an object is about to be replaced by, as texts beside its tables, because memory may not hold all of it: an object
 * has up to gigabytes, and its isolate 128 MB.
 */
export class ReplacementTexts {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  begin(): void {
    this.end()
    this.#sql.exec(
      `CREATE TABLE ${REPLACEMENT_TABLE} (id INTEGER PRIMARY KEY, is_last INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT`,
    )
  }

  add(text: string): void {
    const bytes = new TextEncoder().encode(text)
    for (let start = 0; start === 0 || start < bytes.length; start += MAX_BYTES_OF_PART) {
      const part = bytes.slice(start, start + MAX_BYTES_OF_PART)
      const isLast = start + MAX_BYTES_OF_PART >= bytes.length
      this.#sql.exec(`INSERT INTO ${REPLACEMENT_TABLE} (is_last, bytes) VALUES (?, ?)`, Number(isLast), part.buffer)
    }
  }

  /** In the order in which they were added, one at a time. */
  *all(): Generator<string, void> {
    const select = `SELECT id, is_last, bytes FROM ${REPLACEMENT_TABLE} WHERE id > ? ORDER BY id LIMIT 1`
    let decoder = new TextDecoder()
    let text = ''
    for (let id = 0; ; ) {
      const [part] = this.#sql.exec<{ id: number; is_last: number; bytes: ArrayBuffer }>(select, id).toArray()
      if (!part) return
      id = part.id
      text += decoder.decode(part.bytes, { stream: part.is_last === 0 })
      if (part.is_last === 0) continue
      yield text
      decoder = new TextDecoder()
      text = ''
    }
  }

  end(): void {
    this.#sql.exec(`DROP TABLE IF EXISTS ${REPLACEMENT_TABLE}`)
  }
}
