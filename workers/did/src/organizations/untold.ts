import type { Sql } from '@svc/objects'
import { MAX_RETRY_MS, RETRY_MS } from '@svc/objects/retry'

/**
 * Which members' own objects do not have their newest state yet: the outbox of an organization. What a member is told is
 * read when it is sent, so that a row stands for all changes since.
 */
export class UntoldTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** In the transaction of the change. */
  add(member: string, dueAt: number): void {
    const insert = 'INSERT INTO untold (member, attempts, due_at) VALUES (?, 0, ?) ON CONFLICT DO NOTHING'
    this.#sql.exec(insert, member, dueAt)
  }

  dueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(due_at) AS at FROM untold').one().at
  }

  /** Some of those that are due. */
  due(now: number, limit: number): string[] {
    return this.#sql
      .exec<{ member: string }>('SELECT member FROM untold WHERE due_at <= ? LIMIT ?', now, limit)
      .toArray()
      .map(({ member }) => member)
  }

  /** The member's object has this state, unless the member has changed since. */
  told(member: string, sequence: number): void {
    this.#sql.exec(
      `DELETE FROM untold WHERE member = ?1 AND EXISTS (SELECT 1 FROM members WHERE member = ?1 AND sequence = ?2)`,
      member,
      sequence,
    )
  }

  failed(member: string, now: number): void {
    this.#sql.exec(
      `UPDATE untold SET attempts = attempts + 1, due_at = ?2 + min(?3 << min(attempts, 20), ?4) WHERE member = ?1`,
      member,
      now,
      RETRY_MS,
      MAX_RETRY_MS,
    )
  }
}
