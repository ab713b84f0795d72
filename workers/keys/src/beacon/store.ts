import type { Sql } from '@svc/objects'
import { EMPTY_EDGE, edgeBytes, edgeOf, type TreeEdge } from '@svc/tlog/edge'

/** The beacon in its object's SQLite: everything here follows from R2, except for what the witnesses said. */
export class BeaconStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  edge(): TreeEdge {
    const [row] = this.#sql.exec<{ size: number; edge: ArrayBuffer }>('SELECT size, edge FROM head').toArray()
    return row ? edgeOf(row.size, new Uint8Array(row.edge)) : EMPTY_EDGE
  }

  /** When the newest leaf was made. */
  at(): number {
    return this.#sql.exec<{ at: number }>('SELECT at FROM head').toArray()[0]?.at ?? 0
  }

  tail(): string[] {
    const rows = this.#sql.exec<{ entry: string }>('SELECT entry FROM tail ORDER BY idx').toArray()
    return rows.map(({ entry }) => entry)
  }

  /** The leaf is decided, and the tiles that it fills are written. */
  commit(edge: TreeEdge, entry: string, at: number, isFull: boolean): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO head (id, size, at, edge) VALUES (0, ?, ?, ?)',
      edge.size,
      at,
      edgeBytes(edge),
    )
    if (isFull) this.#sql.exec('DELETE FROM tail')
    else this.#sql.exec('INSERT INTO tail (idx, entry) VALUES (?, ?)', edge.size - 1, entry)
  }

  published(): { readonly size: number; readonly note: string } | null {
    return this.#sql.exec<{ size: number; note: string }>('SELECT size, note FROM published').toArray()[0] ?? null
  }

  publish(size: number, note: string): void {
    this.#sql.exec('INSERT OR REPLACE INTO published (id, size, note) VALUES (0, ?, ?)', size, note)
  }

  witnessed(url: string): number {
    const row = this.#sql.exec<{ size: number }>('SELECT size FROM witnesses WHERE url = ?', url).toArray()[0]
    return row?.size ?? 0
  }

  witness(url: string, size: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO witnesses (url, size) VALUES (?, ?)', url, size)
  }
}
