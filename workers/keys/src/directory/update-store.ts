import type { PlacedLeaf, SubmittedLeaf } from '@svc/log'
import type { Facts, Sql } from '@svc/objects'
import { type Json, jcs } from '@svc/protocol/base/jcs'
import { statementHash } from '@svc/protocol/base/statement'
import {
  type AccountHead,
  type AccountValue,
  agreedIn,
  EMPTY_HEAD,
  isNewerAgreement,
  type LoggedAgreement,
  leafIdOf,
  leafIdParts,
  nextAgreement,
  nextHead,
  type UpdateEntry,
  updateLine,
} from '@svc/protocol/keys/account-updates'
import type { LogPosition } from '@svc/protocol/merkle/log-name'

export interface UpdateRow {
  readonly seq: number
  readonly statementHash: string
  readonly statement: { readonly type: string }
}

export interface UpdatePlace extends Pick<UpdateEntry, 'agreedAt'> {
  readonly seq: number
  /** Null until the account has it from the log. */
  readonly position: LogPosition | null
}

type UpdateSql = { seq: number; statement_hash: string; statement: string }

/**
 * The numbered updates of an account in its object's SQLite, and those that the log has not taken yet. Appending runs in
 * the transaction that stores what the update is about.
 */
export class UpdateStore {
  readonly #sql: Sql
  readonly #facts: Facts

  constructor(sql: Sql, facts: Facts) {
    this.#sql = sql
    this.#facts = facts
  }

  head(): AccountHead {
    const [row] = this.#sql
      .exec<{ seq: number; head: string }>('SELECT seq, head FROM updates ORDER BY seq DESC LIMIT 1')
      .toArray()
    const published = this.#facts.get<AccountHead>('publishedHead')
    return (
      [row, published].find((head) => head && head.seq === Math.max(row?.seq ?? 0, published?.seq ?? 0)) ?? EMPTY_HEAD
    )
  }

  /**
   * Goes on after a head that was published, of updates that this object has lost. A number that is in the log already
   * is never given to another update.
   */
  continueAfter({ seq, head, agreement }: AccountValue): void {
    this.#facts.put('publishedHead', { seq, head })
    if (agreement && isNewerAgreement(agreement.issuedAt, this.agreement())) this.#facts.put('agreement', agreement)
  }

  /** The newest key agreement that is an update. */
  agreement(): LoggedAgreement | null {
    return this.#facts.get('agreement')
  }

  /** The root epoch of the newest rotation that core has reported; 0 before the first. */
  rootEpoch(): number {
    return this.#facts.get<number>('rootEpoch') ?? 0
  }

  rotated(epoch: number): void {
    if (epoch > this.rootEpoch()) this.#facts.put('rootEpoch', epoch)
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
    const update = { label, seq, statementHash: hash, ...agreedIn(statement) }
    const agreement = nextAgreement(this.agreement(), update)
    if (agreement?.hash === hash) this.#facts.put('agreement', agreement)
    const entry = updateLine(update)
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

  /**
   * The updates that have no place yet, in the order of their numbers: the log must have an account's updates in that
   * order. From now on they belong to this log, so that no update gets into two. None while another log is to take
   * earlier ones.
   */
  sendTo(log: string, limit: number): SubmittedLeaf[] {
    const [first] = this.waitsFor()
    if (first !== log && first !== null) return []
    this.#sql.exec('UPDATE outbox SET log = ? WHERE log IS NULL', log)
    return this.#sql
      .exec<{ leaf_id: string; entry: string }>(
        `SELECT leaf_id, entry FROM outbox JOIN updates USING (seq) WHERE outbox.log = ? AND idx IS NULL
         ORDER BY seq LIMIT ?`,
        log,
        limit,
      )
      .toArray()
      .map(({ leaf_id, entry }) => ({ leafId: leaf_id, entry }))
  }

  /** What the log has answered. */
  placed(log: string, places: readonly PlacedLeaf[]): void {
    for (const { leafId, index } of places) {
      const { statementHash: hash } = leafIdParts(leafId)
      this.#sql.exec('UPDATE updates SET log = ?, idx = ? WHERE statement_hash = ?', log, index, hash)
    }
  }

  /** What a closed log has not taken belongs to the next one. */
  move(log: string, next: string): void {
    this.#sql.exec(
      'UPDATE outbox SET log = ?2 WHERE log = ?1 AND seq IN (SELECT seq FROM updates WHERE idx IS NULL)',
      log,
      next,
    )
  }

  /** The places in a log that are stored here, and that the log has not been told about. */
  unacknowledged(log: string): number[] {
    return this.#sql
      .exec<{ idx: number }>(
        'SELECT idx FROM outbox JOIN updates USING (seq) WHERE updates.log = ? AND idx IS NOT NULL ORDER BY seq',
        log,
      )
      .toArray()
      .map(({ idx }) => idx)
  }

  acknowledged(log: string, indexes: readonly number[]): void {
    this.#sql.exec(
      `DELETE FROM outbox WHERE seq IN
         (SELECT seq FROM updates WHERE log = ? AND idx IN (SELECT value FROM json_each(?)))`,
      log,
      JSON.stringify(indexes),
    )
  }

  /** The logs that an update is to go to, or that are to be told of one. Null: the one that is open. */
  waitsFor(): (string | null)[] {
    return this.#sql
      .exec<{ log: string | null }>('SELECT log FROM outbox GROUP BY log ORDER BY min(seq)')
      .toArray()
      .map(({ log }) => log)
  }

  /** An update by the hash of its statement, and where it is as far as the account knows. */
  find(statementHashOf: string): UpdatePlace | null {
    const [row] = this.#sql
      .exec<{ seq: number; statement: string; log: string | null; idx: number | null }>(
        'SELECT seq, statement, log, idx FROM updates WHERE statement_hash = ?',
        statementHashOf,
      )
      .toArray()
    if (!row) return null
    const { seq, statement, log, idx: index } = row
    const position = log === null || index === null ? null : { log, index }
    return { seq, ...agreedIn(JSON.parse(statement) as { type: string }), position }
  }
}
