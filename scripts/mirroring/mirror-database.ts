import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/**
 * One SQLite file. Every step is a transaction that is on the disk when it returns, so a mirror that was killed anywhere
 * goes on from the last one.
 */
export class MirrorDatabase {
  readonly #database: DatabaseSync

  constructor(path: string, schema: string) {
    this.#database = new DatabaseSync(path, { timeout: 5_000 })
    // FULL: a commit is synced before it returns, also after a loss of power.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    this.#database.exec(schema)
  }

  close(): void {
    this.#database.close()
  }

  transact<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#database.prepare(sql).run(...values)
  }

  get(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | null {
    return this.#database.prepare(sql).get(...values) ?? null
  }

  all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values)
  }

  /** A single value as JSON, or null. */
  fact(name: string): unknown {
    const row = this.get('SELECT value FROM facts WHERE name = ?', name)
    return row && (JSON.parse(String(row['value'])) as unknown)
  }

  setFact(name: string, value: unknown): void {
    this.run(
      'INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2',
      name,
      JSON.stringify(value),
    )
  }
}
