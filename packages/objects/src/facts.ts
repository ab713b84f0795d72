import { hasTable, type Sql } from './sql.ts'

/**
 * What an object has at most one of, by name, as JSON in the one table that every object has. A table of its own would
 * take a page of 4,096 bytes for a row of fifty.
 */
export class Facts {
  readonly #sql: Sql
  readonly #declared: () => readonly string[] | null
  readonly #changed: (name: string) => void

  /**
   * `declared` lists what the schema of the object has; null if the object does not exist. `changed` is told of a fact
   * that was written or deleted.
   */
  constructor(sql: Sql, declared: () => readonly string[] | null, changed: (name: string) => void = () => {}) {
    this.#sql = sql
    this.#declared = declared
    this.#changed = changed
  }

  /** Null if the object does not have it. */
  get<T>(name: string): T | null {
    return this.#declared() === null ? null : readFact<T>(this.#sql, name)
  }

  /** Only what the schema declares: a page lists it, with who deletes it. */
  put(name: string, value: unknown): void {
    if (!this.#declared()?.includes(name)) throw new Error(`the schema of the object declares no fact "${name}"`)
    writeFact(this.#sql, name, value)
    this.#changed(name)
  }

  delete(name: string): void {
    if (this.#declared() === null) return
    if (this.#sql.exec('DELETE FROM facts WHERE name = ?', name).rowsWritten > 0) this.#changed(name)
  }
}

export const FACTS_TABLE = 'facts'

export function createFacts(sql: Sql): void {
  sql.exec('CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID')
}

export function hasFacts(sql: Sql): boolean {
  return hasTable(sql, FACTS_TABLE)
}

export function readFact<T>(sql: Sql, name: string): T | null {
  const [row] = sql.exec<{ value: string }>('SELECT value FROM facts WHERE name = ?', name).toArray()
  return row ? (JSON.parse(row.value) as T) : null
}

export function writeFact(sql: Sql, name: string, value: unknown): void {
  sql.exec(
    'INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2',
    name,
    JSON.stringify(value),
  )
}
