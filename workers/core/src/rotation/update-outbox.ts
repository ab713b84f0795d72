import { MAX_ROOT_STATEMENTS } from '@svc/protocol/internal/keys'

/** What a waiting update is about: its statement is stored with the rotation, or as the identity's deactivation. */
export interface WaitingUpdate {
  readonly seq: number
  readonly kind: 'rotation' | 'deactivation'
  readonly statementHash: string
}

const RETRY_MS = 5_000
const MAX_RETRY_MS = 3_600_000

/**
 * Rotations and deactivations that took effect and that the key directory has not acknowledged yet, in the identity's
 * SQLite. Adding runs in the transaction of the act, so no crash separates them. A row is deleted once the directory has
 * it; the directory takes a statement once, so a repeated delivery is harmless.
 */
export class UpdateOutbox {
  readonly #sql: SqlStorage
  readonly #hasDirectory: boolean

  constructor(sql: SqlStorage, { hasDirectory }: { readonly hasDirectory: boolean }) {
    this.#sql = sql
    this.#hasDirectory = hasDirectory
  }

  /** Nothing without a directory to deliver to. Idempotent: an identity that is deactivated again keeps one row. */
  add({ kind, statementHash }: Omit<WaitingUpdate, 'seq'>, now: number): void {
    if (!this.#hasDirectory) return
    this.#sql.exec(
      `INSERT INTO root_updates (seq, kind, statement_hash, attempts, due_at)
       VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM root_updates), ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
      kind,
      statementHash,
      now,
    )
  }

  /** When the next delivery is due; null if nothing waits. */
  dueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(due_at) AS at FROM root_updates').one().at
  }

  /** The oldest ones, in order; none before the next delivery is due. */
  due(now: number): WaitingUpdate[] {
    return this.#sql
      .exec<{ seq: number; kind: WaitingUpdate['kind']; statement_hash: string }>(
        `SELECT seq, kind, statement_hash FROM root_updates
         WHERE (SELECT min(due_at) FROM root_updates) <= ? ORDER BY seq LIMIT ?`,
        now,
        MAX_ROOT_STATEMENTS,
      )
      .toArray()
      .map(({ seq, kind, statement_hash }) => ({ seq, kind, statementHash: statement_hash }))
  }

  delivered(updates: readonly WaitingUpdate[]): void {
    for (const { statementHash } of updates)
      this.#sql.exec('DELETE FROM root_updates WHERE statement_hash = ?', statementHash)
  }

  /** All of them wait for the next attempt: after 5 seconds, then twice as long each time, at most an hour. */
  failed(now: number): void {
    this.#sql.exec(
      `UPDATE root_updates SET attempts = attempts + 1, due_at = ?1 + min(?2 << min(attempts, 20), ?3)`,
      now,
      RETRY_MS,
      MAX_RETRY_MS,
    )
  }
}
