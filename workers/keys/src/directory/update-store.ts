import { type Json, jcs } from '@svc/protocol/base/jcs'
import { statementHash } from '@svc/protocol/base/statement'
import { type AccountHead, EMPTY_HEAD, leafIdOf, nextHead, updateLine } from '@svc/protocol/keys/account-updates'
import type { SubmittedLeaf } from '../transparency/rules.ts'

export interface UpdateRow {
  readonly seq: number
  readonly statementHash: string
  readonly statement: { readonly type: string }
}

type UpdateSql = { seq: number; statement_hash: string; statement: string }

/**
 * The numbered updates of an account in its object's SQLite, and those that the log has not taken yet. Appending runs in
 * the transaction that stores what the update is about.
 */
export class UpdateStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  head(): AccountHead {
    const [row] = this.#sql
      .exec<{ seq: number; head: string }>('SELECT seq, head FROM updates ORDER BY seq DESC LIMIT 1')
      .toArray()
    return row ?? EMPTY_HEAD
  }

  /** The number and leaf of a statement; a statement that was appended before keeps its own. */
  append(label: string, statement: { readonly type: string }): { readonly seq: number; readonly leafId: string } {
    const hash = statementHash(statement)
    const leafId = leafIdOf(label, hash)
    const [existing] = this.#sql
      .exec<{ seq: number }>('SELECT seq FROM updates WHERE statement_hash = ?', hash)
      .toArray()
    if (existing) return { seq: existing.seq, leafId }
    const { seq, head } = nextHead(this.head(), hash)
    this.#sql.exec(
      'INSERT INTO updates (seq, statement_hash, head, statement) VALUES (?, ?, ?, ?)',
      seq,
      hash,
      head,
      jcs(statement as unknown as Json),
    )
    const entry = updateLine({ label, seq, statementHash: hash })
    this.#sql.exec('INSERT INTO outbox (seq, leaf_id, entry) VALUES (?, ?, ?)', seq, leafId, entry)
    return { seq, leafId }
  }

  after(seq: number, limit: number): UpdateRow[] {
    return this.#sql
      .exec<UpdateSql>(
        'SELECT seq, statement_hash, statement FROM updates WHERE seq > ? ORDER BY seq LIMIT ?',
        seq,
        limit,
      )
      .toArray()
      .map(({ seq: number, statement_hash, statement }) => ({
        seq: number,
        statementHash: statement_hash,
        statement: JSON.parse(statement) as { type: string },
      }))
  }

  hashesAfter(seq: number, limit: number): string[] {
    return this.#sql
      .exec<{ statement_hash: string }>(
        'SELECT statement_hash FROM updates WHERE seq > ? ORDER BY seq LIMIT ?',
        seq,
        limit,
      )
      .toArray()
      .map(({ statement_hash }) => statement_hash)
  }

  /** In the order of their numbers: the log must have an account's updates in that order. */
  waiting(limit: number): SubmittedLeaf[] {
    return this.#sql
      .exec<{ leaf_id: string; entry: string }>('SELECT leaf_id, entry FROM outbox ORDER BY seq LIMIT ?', limit)
      .toArray()
      .map(({ leaf_id, entry }) => ({ leafId: leaf_id, entry }))
  }

  delivered(leaves: readonly SubmittedLeaf[]): void {
    for (const { leafId } of leaves) this.#sql.exec('DELETE FROM outbox WHERE leaf_id = ?', leafId)
  }
}
