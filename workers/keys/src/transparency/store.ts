import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { EMPTY_EDGE, type TileEdge } from '@svc/protocol/merkle/tiles'

export interface PendingLeaf {
  readonly seq: number
  readonly leafId: string
  readonly entry: string
}

/** The log in its object's SQLite: the committed head, its right edge, and the pending leaves. */
export class LogStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  head(): { readonly size: number; readonly root: string } | null {
    return (
      this.#sql.exec<{ size: number; root: string }>('SELECT size, root FROM head WHERE id = 0').toArray()[0] ?? null
    )
  }

  edge(): TileEdge {
    const size = this.head()?.size ?? 0
    if (size === 0) return EMPTY_EDGE
    const rows = this.#sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM edge ORDER BY level').toArray()
    return { size, edge: rows.map(({ bytes }) => new Uint8Array(bytes)) }
  }

  tail(): string[] {
    const rows = this.#sql.exec<{ entry: string }>('SELECT entry FROM tail ORDER BY idx').toArray()
    return rows.map(({ entry }) => entry)
  }

  /** Whether it has no leaf, committed or pending. */
  isNew(): boolean {
    return this.head() === null && !this.isWaiting()
  }

  /** Skips a leaf that is in the log or pending. */
  enqueue(leafId: string, entry: string): void {
    this.#sql.exec(
      `INSERT INTO pending (leaf_id, entry) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM leaves WHERE leaf_id = ?1)
       ON CONFLICT DO NOTHING`,
      leafId,
      entry,
    )
  }

  pending(limit: number): PendingLeaf[] {
    return this.#sql
      .exec<{ seq: number; leaf_id: string; entry: string }>(
        'SELECT seq, leaf_id, entry FROM pending ORDER BY seq LIMIT ?',
        limit,
      )
      .toArray()
      .map(({ seq, leaf_id, entry }) => ({ seq, leafId: leaf_id, entry }))
  }

  /** Commits the batch, whose tiles are already written. */
  commit(batch: readonly PendingLeaf[], log: TileEdge, root: string, tail: readonly string[]): void {
    const first = log.size - batch.length
    for (const [i, { seq, leafId }] of batch.entries()) {
      this.#sql.exec('INSERT INTO leaves (leaf_id, idx) VALUES (?, ?)', leafId, first + i)
      this.#sql.exec('DELETE FROM pending WHERE seq = ?', seq)
    }
    this.#sql.exec('DELETE FROM edge')
    for (const [level, bytes] of log.edge.entries()) {
      this.#sql.exec('INSERT INTO edge (level, bytes) VALUES (?, ?)', level, bytes)
    }
    this.#sql.exec('DELETE FROM tail')
    for (const [i, entry] of tail.entries()) {
      this.#sql.exec('INSERT INTO tail (idx, entry) VALUES (?, ?)', log.size - tail.length + i, entry)
    }
    this.#sql.exec('INSERT OR REPLACE INTO head (id, size, root) VALUES (0, ?, ?)', log.size, root)
  }

  indexOf(leafId: string): number | null {
    return this.#sql.exec<{ idx: number }>('SELECT idx FROM leaves WHERE leaf_id = ?', leafId).toArray()[0]?.idx ?? null
  }

  isWaiting(): boolean {
    return this.#sql.exec('SELECT 1 FROM pending LIMIT 1').toArray().length > 0
  }

  retire(keys: readonly string[], now: number): void {
    for (const key of keys) {
      this.#sql.exec('INSERT INTO obsolete (key, since) VALUES (?, ?) ON CONFLICT DO NOTHING', key, now)
    }
  }

  obsolete(before: number, limit: number): string[] {
    return this.#sql
      .exec<{ key: string }>('SELECT key FROM obsolete WHERE since < ? LIMIT ?', before, limit)
      .toArray()
      .map(({ key }) => key)
  }

  /** Deleted, or pointed to by the head that is committed. */
  removed(keys: readonly string[]): void {
    for (const key of keys) this.#sql.exec('DELETE FROM obsolete WHERE key = ?', key)
  }

  oldestObsolete(): number | null {
    return this.#sql.exec<{ since: number | null }>('SELECT min(since) AS since FROM obsolete').one().since
  }

  /** A witness never goes back to an older state. */
  cosign({ statement, ...signed }: SignedCosignature): void {
    this.#sql.exec(
      `INSERT INTO cosignatures (witness, size, signed) VALUES (?1, ?2, ?3)
       ON CONFLICT (witness) DO UPDATE SET size = ?2, signed = ?3 WHERE size <= ?2`,
      statement.witness,
      statement.size,
      JSON.stringify({ statement, ...signed }),
    )
  }

  cosignatures(): SignedCosignature[] {
    return this.#sql
      .exec<{ signed: string }>('SELECT signed FROM cosignatures ORDER BY witness')
      .toArray()
      .map(({ signed }) => JSON.parse(signed) as SignedCosignature)
  }
}
