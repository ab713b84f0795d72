import { MerkleLog, type MerkleNode } from '@svc/protocol/merkle-log'
import type { NewAnchor } from './anchor-store.ts'

/** An anchor as the log keeps it until D1 has it. */
export interface LogEntry {
  readonly index: number
  readonly anchor: NewAnchor
}

/** The log in its object's SQLite: the order of anchors, the tree over them, and what D1 has not taken yet. */
export class AnchorLogStore {
  readonly #sql: SqlStorage
  readonly tree: MerkleLog

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.tree = new MerkleLog((level, index) => this.#node(level, index))
  }

  createTables(): void {
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS entries (idx INTEGER PRIMARY KEY, anchor_id TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL) STRICT',
    )
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS nodes (
         level INTEGER NOT NULL, idx INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, idx)
       ) STRICT, WITHOUT ROWID`,
    )
    this.#sql.exec('CREATE TABLE IF NOT EXISTS outbox (idx INTEGER PRIMARY KEY, anchor TEXT NOT NULL) STRICT')
  }

  size(): number {
    return this.#sql.exec<{ n: number }>('SELECT coalesce(max(idx) + 1, 0) AS n FROM entries').one().n
  }

  find(anchorId: string): { readonly index: number; readonly createdAt: string } | null {
    const [row] = this.#sql
      .exec<{ idx: number; created_at: string }>('SELECT idx, created_at FROM entries WHERE anchor_id = ?', anchorId)
      .toArray()
    return row ? { index: row.idx, createdAt: row.created_at } : null
  }

  append({ index, anchor }: LogEntry, nodes: readonly MerkleNode[]): void {
    const { anchorId, createdAt } = anchor
    this.#sql.exec('INSERT INTO entries (idx, anchor_id, created_at) VALUES (?, ?, ?)', index, anchorId, createdAt)
    for (const node of nodes) {
      this.#sql.exec('INSERT INTO nodes (level, idx, hash) VALUES (?, ?, ?)', node.level, node.index, node.hash)
    }
    this.#sql.exec('INSERT INTO outbox (idx, anchor) VALUES (?, ?)', index, JSON.stringify(anchor))
  }

  waiting(limit: number): LogEntry[] {
    return this.#sql
      .exec<{ idx: number; anchor: string }>('SELECT idx, anchor FROM outbox ORDER BY idx LIMIT ?', limit)
      .toArray()
      .map((row) => ({ index: row.idx, anchor: JSON.parse(row.anchor) as NewAnchor }))
  }

  /** The first entry that D1 has not taken. */
  oldestWaiting(): number | null {
    return this.#sql.exec<{ idx: number | null }>('SELECT min(idx) AS idx FROM outbox').one().idx
  }

  delivered(indexes: readonly number[]): void {
    for (const index of indexes) this.#sql.exec('DELETE FROM outbox WHERE idx = ?', index)
  }

  #node(level: number, index: number): Uint8Array {
    const { hash } = this.#sql
      .exec<{ hash: ArrayBuffer }>('SELECT hash FROM nodes WHERE level = ? AND idx = ?', level, index)
      .one()
    return new Uint8Array(hash)
  }
}
