import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { MerkleLog } from '@svc/protocol/merkle/log'
import type { LogEntry, NewAnchor } from './log-entry.ts'

/** The log in its object's SQLite: the order of entries, the tree over them, and the outbox to D1. */
export class AnchorLogStore {
  readonly #sql: SqlStorage
  readonly tree: MerkleLog

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.tree = new MerkleLog((level, index) => this.#node(level, index))
  }

  /** Leaf 0 names the log. Idempotent; in the transaction that appends the first anchor. */
  open(log: string, now: number): void {
    if (this.opened()) return
    this.#sql.exec('INSERT INTO opened (id, log, opened_at) VALUES (0, ?, ?)', log, now)
    this.#addLeaf(0, entryHash(openEntry(log, null)))
  }

  opened(): { readonly log: string; readonly openedAt: number } | null {
    const [row] = this.#sql.exec<{ log: string; opened_at: number }>('SELECT log, opened_at FROM opened').toArray()
    return row ? { log: row.log, openedAt: row.opened_at } : null
  }

  size(): number {
    return this.#sql.exec<{ n: number }>('SELECT coalesce(max(idx) + 1, 0) AS n FROM nodes WHERE level = 0').one().n
  }

  /** The index of an anchor; null if the log does not have it. */
  find(anchorId: string): number | null {
    const [row] = this.#sql.exec<{ idx: number }>('SELECT idx FROM entries WHERE anchor_id = ?', anchorId).toArray()
    return row?.idx ?? null
  }

  append(index: number, anchor: NewAnchor, leaf: Uint8Array): void {
    this.#sql.exec('INSERT INTO entries (idx, anchor_id) VALUES (?, ?)', index, anchor.anchorId)
    this.#addLeaf(index, leaf)
    this.#sql.exec('INSERT INTO outbox (idx, anchor) VALUES (?, ?)', index, JSON.stringify(anchor))
  }

  waiting(limit: number): LogEntry[] {
    const log = this.opened()?.log
    if (log === undefined) return []
    return this.#sql
      .exec<{ idx: number; anchor: string }>('SELECT idx, anchor FROM outbox ORDER BY idx LIMIT ?', limit)
      .toArray()
      .map((row) => ({ log, index: row.idx, anchor: JSON.parse(row.anchor) as NewAnchor }))
  }

  /** An anchor that D1 may not have yet. */
  waitingAt(index: number): NewAnchor | null {
    const [row] = this.#sql.exec<{ anchor: string }>('SELECT anchor FROM outbox WHERE idx = ?', index).toArray()
    return row ? (JSON.parse(row.anchor) as NewAnchor) : null
  }

  /** The first entry not yet delivered to D1. */
  oldestWaiting(): number | null {
    return this.#sql.exec<{ idx: number | null }>('SELECT min(idx) AS idx FROM outbox').one().idx
  }

  delivered(indexes: readonly number[]): void {
    for (const index of indexes) this.#sql.exec('DELETE FROM outbox WHERE idx = ?', index)
  }

  #addLeaf(index: number, leaf: Uint8Array): void {
    for (const node of this.tree.append(index, leaf)) {
      this.#sql.exec('INSERT INTO nodes (level, idx, hash) VALUES (?, ?, ?)', node.level, node.index, node.hash)
    }
  }

  #node(level: number, index: number): Uint8Array {
    const { hash } = this.#sql
      .exec<{ hash: ArrayBuffer }>('SELECT hash FROM nodes WHERE level = ? AND idx = ?', level, index)
      .one()
    return new Uint8Array(hash)
  }
}
