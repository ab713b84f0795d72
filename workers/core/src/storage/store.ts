import type { Tier } from '@svc/protocol/pay/tiers'
import { KEPT_KINDS, type KeptKind, type Room } from './rules.ts'

type Sums = { bytes: number; rows: number }

/** Sums by kind, the records behind those that are kept elsewhere, the leases of vaults, and the tier. */
export const STORAGE_TABLES = `
  CREATE TABLE IF NOT EXISTS kept (
    kind TEXT PRIMARY KEY, bytes INTEGER NOT NULL, rows INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kept_items (
    kind TEXT NOT NULL, item TEXT NOT NULL, bytes INTEGER NOT NULL, kept_at INTEGER NOT NULL, PRIMARY KEY (kind, item)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leases (
    kind TEXT PRIMARY KEY, seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tiers (
    id INTEGER PRIMARY KEY CHECK (id = 0), tier TEXT NOT NULL, until INTEGER NOT NULL
  ) STRICT;`

/** What an identity keeps, in its object's SQLite. */
export class KeptStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  total(): Room {
    return this.#sql
      .exec<Sums>('SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(rows), 0) AS rows FROM kept')
      .one()
  }

  ofKind(kind: KeptKind): Room {
    const [row] = this.#sql.exec<Sums>('SELECT bytes, rows FROM kept WHERE kind = ?', kind).toArray()
    return row ?? { bytes: 0, rows: 0 }
  }

  byKind(): { readonly [K in KeptKind]: Room } {
    return Object.fromEntries(KEPT_KINDS.map((kind) => [kind, this.ofKind(kind)])) as Record<KeptKind, Room>
  }

  add(kind: KeptKind, { bytes, rows }: Room): void {
    this.#sql.exec(
      `INSERT INTO kept (kind, bytes, rows) VALUES (?1, ?2, ?3)
       ON CONFLICT (kind) DO UPDATE SET bytes = bytes + ?2, rows = rows + ?3`,
      kind,
      bytes,
      rows,
    )
  }

  has(kind: KeptKind, item: string): boolean {
    return this.#sql.exec('SELECT 1 FROM kept_items WHERE kind = ? AND item = ?', kind, item).toArray().length > 0
  }

  addItem(kind: KeptKind, item: string, bytes: number, now: number): void {
    this.#sql.exec('INSERT INTO kept_items (kind, item, bytes, kept_at) VALUES (?, ?, ?, ?)', kind, item, bytes, now)
    this.add(kind, { bytes, rows: 1 })
  }

  removeItem(kind: KeptKind, item: string): void {
    this.#removed(
      kind,
      this.#sql.exec<{ bytes: number }>(
        'DELETE FROM kept_items WHERE kind = ? AND item = ? RETURNING bytes',
        kind,
        item,
      ),
    )
  }

  /** Items that are not listed and were there before a time. */
  removeOthers(kind: KeptKind, items: readonly string[], before: number): void {
    this.#removed(
      kind,
      this.#sql.exec<{ bytes: number }>(
        `DELETE FROM kept_items WHERE kind = ? AND kept_at < ? AND item NOT IN (SELECT value FROM json_each(?))
         RETURNING bytes`,
        kind,
        before,
        JSON.stringify(items),
      ),
    )
  }

  #removed(kind: KeptKind, deleted: SqlStorageCursor<{ bytes: number }>): void {
    const rows = deleted.toArray()
    if (rows.length === 0) return
    this.add(kind, { bytes: -rows.reduce((sum, { bytes }) => sum + bytes, 0), rows: -rows.length })
  }

  leaseSeq(kind: KeptKind): number {
    const [row] = this.#sql.exec<{ seq: number }>('SELECT seq FROM leases WHERE kind = ?', kind).toArray()
    return row?.seq ?? 0
  }

  putLeaseSeq(kind: KeptKind, seq: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO leases (kind, seq) VALUES (?, ?)', kind, seq)
  }

  tier(now: number): Tier {
    const [row] = this.#sql.exec<{ tier: Tier }>('SELECT tier FROM tiers WHERE until > ?', now).toArray()
    return row?.tier ?? 'notes'
  }

  putTier(tier: Tier, until: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO tiers (id, tier, until) VALUES (0, ?, ?)', tier, until)
  }
}
