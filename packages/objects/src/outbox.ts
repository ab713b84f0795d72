import { MAX_RETRY_MS, RETRY_MS } from './retry.ts'
import type { Sql } from './sql.ts'

/** What waits to be delivered. */
export interface Waiting {
  /** The receiver takes a delivery with this id once. */
  readonly id: string
  readonly item: string
}

/** The table of an outbox, for the schema of the object. */
export function outboxTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, item TEXT NOT NULL, attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;`
}

/**
 * What an object has to tell another service, in its SQLite. Adding runs in the transaction of the act, so no crash
 * separates them; the object's alarm delivers. A row is deleted once the receiver has it. The receiver takes an id once,
 * so a repeated delivery is harmless.
 */
export class Outbox {
  readonly #sql: Sql
  readonly #table: string

  constructor(sql: Sql, table: string) {
    this.#sql = sql
    this.#table = table
  }

  /** Idempotent while it waits. */
  add({ id, item }: Waiting, dueAt: number): void {
    this.#sql.exec(
      `INSERT INTO ${this.#table} (seq, id, item, attempts, due_at)
       VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM ${this.#table}), ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
      id,
      item,
      dueAt,
    )
  }

  /** When the next delivery is due; null if nothing waits. */
  dueAt(): number | null {
    const [row] = this.#sql.exec<{ at: number | null }>(`SELECT min(due_at) AS at FROM ${this.#table}`).toArray()
    return row?.at ?? null
  }

  /** The oldest ones, in order; none before the next delivery is due. */
  due(now: number, limit: number): Waiting[] {
    return this.#sql
      .exec<{ id: string; item: string }>(
        `SELECT id, item FROM ${this.#table} WHERE (SELECT min(due_at) FROM ${this.#table}) <= ? ORDER BY seq LIMIT ?`,
        now,
        limit,
      )
      .toArray()
  }

  /** Call inside a transaction. */
  settle(delivered: readonly Pick<Waiting, 'id'>[], hasArrived: boolean, now: number): void {
    if (!hasArrived) this.#failed(now)
    else for (const { id } of delivered) this.#sql.exec(`DELETE FROM ${this.#table} WHERE id = ?`, id)
  }

  /** All of them wait for the next attempt, since they go to one receiver. */
  #failed(now: number): void {
    this.#sql.exec(
      `UPDATE ${this.#table} SET attempts = attempts + 1, due_at = ?1 + min(?2 << min(attempts, 20), ?3)`,
      now,
      RETRY_MS,
      MAX_RETRY_MS,
    )
  }
}
