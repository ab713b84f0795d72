import type { Sql } from '@svc/objects'
import { concatBytes } from '@svc/protocol/base/bytes'
import { HASH_BYTES } from '@svc/protocol/base/labels'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { type LogEnding, logEndingSchema } from '@svc/protocol/merkle/roll'
import { EMPTY_EDGE, TILE_WIDTH, type TileEdge } from '@svc/protocol/merkle/tiles'
import { LeafIds } from './leaf-ids.ts'

/** A leaf on its way to the log. */
export interface SubmittedLeaf {
  readonly leafId: string
  /** One line. */
  readonly entry: string
}

/** One batch, or several that an object lacked. */
export interface CommittedBatch {
  readonly batch: number
  /** Of the log after each of them. */
  readonly sizes: readonly number[]
  readonly edge: TileEdge
  readonly root: string
  readonly tail: readonly string[]
  /** Its ids in order; null for a leaf that nobody submits. */
  readonly leafIds: readonly (string | null)[]
}

export interface StoredHead {
  readonly batch: number
  readonly size: number
  readonly root: string
}

const NEW: StoredHead = { batch: 0, size: 0, root: '' }

/** A log in its object's SQLite. */
export class LogStore {
  readonly ids: LeafIds
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
    this.ids = new LeafIds(sql)
  }

  /** Names the log, at its start. */
  begin(log: string, keyVersion: number): void {
    this.#sql.exec('INSERT INTO log (id, name, key_version) VALUES (0, ?, ?) ON CONFLICT DO NOTHING', log, keyVersion)
  }

  /** The object of one log never goes on with the files of another. */
  requireName(log: string): void {
    const name = this.name()
    if (name !== log) throw new Error(`the object of the log ${name} cannot write ${log}`)
  }

  keyVersion(): number {
    return this.#one<{ key_version: number }>('SELECT key_version FROM log')?.key_version ?? 0
  }

  /** Nothing follows the batch that is being committed. */
  close({ next, final }: LogEnding): void {
    this.#sql.exec('UPDATE log SET next = ?, final = ?', next, JSON.stringify(final))
  }

  /** Null while the log is open. */
  ending(): LogEnding | null {
    const row = this.#one<{ next: string | null; final: string | null }>('SELECT next, final FROM log')
    if (row?.next == null || row.final === null) return null
    return logEndingSchema.parse({ next: row.next, final: JSON.parse(row.final) as unknown })
  }

  name(): string | null {
    return this.#one<{ name: string }>('SELECT name FROM log')?.name ?? null
  }

  opened(at: number): void {
    this.#sql.exec('UPDATE log SET opened_at = ?', at)
  }

  openedAt(): number {
    return this.#one<{ opened_at: number | null }>('SELECT opened_at FROM log')?.opened_at ?? 0
  }

  head(): StoredHead {
    const [row] = this.#sql
      .exec<{ batch: number; size: number; root: string }>('SELECT batch, size, root FROM head')
      .toArray()
    return row ?? NEW
  }

  edge(): TileEdge & { readonly tail: readonly string[] } {
    const [row] = this.#sql
      .exec<{ size: number; edge: ArrayBuffer; tail: string }>('SELECT size, edge, tail FROM head')
      .toArray()
    if (!row) return { ...EMPTY_EDGE, tail: [] }
    return { size: row.size, edge: levelsOf(row.size, new Uint8Array(row.edge)), tail: linesOf(row.tail) }
  }

  /** The batch is decided, and its tiles are written. */
  commit({ batch, sizes, edge, root, tail, leafIds }: CommittedBatch, now: number): void {
    const before = this.head()
    this.ids.take(leafIds, { size: before.size, batch: before.batch + 1 }, now)
    this.#sql.exec(
      `INSERT OR REPLACE INTO head (id, batch, size, root, edge, tail) VALUES (0, ?, ?, ?, ?, ?)`,
      batch,
      edge.size,
      root,
      concatBytes(edge.edge),
      tail.join('\n'),
    )
    const grown = before.size > 0 ? [before.size, ...sizes] : sizes
    for (const [i, size] of grown.slice(0, -1).entries()) {
      this.#sql.exec('INSERT INTO retired (size, next, since) VALUES (?, ?, ?)', size, grown[i + 1] ?? size, now)
    }
  }

  retired(before: number, limit: number): { size: number; next: number }[] {
    return this.#sql
      .exec<{ size: number; next: number }>(
        'SELECT size, next FROM retired WHERE since <= ? ORDER BY size LIMIT ?',
        before,
        limit,
      )
      .toArray()
  }

  removed(sizes: readonly number[]): void {
    this.#sql.exec('DELETE FROM retired WHERE size IN (SELECT value FROM json_each(?))', JSON.stringify(sizes))
  }

  oldestRetired(): number | null {
    return this.#one<{ since: number }>('SELECT since FROM retired ORDER BY size LIMIT 1')?.since ?? null
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

  #one<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): T | null {
    return this.#sql.exec<T>(query, ...values).toArray()[0] ?? null
  }
}

function levelsOf(size: number, bytes: Uint8Array): Uint8Array[] {
  const levels: Uint8Array[] = []
  let at = 0
  for (let hashes = size; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH)) {
    const length = (hashes % TILE_WIDTH) * HASH_BYTES
    levels.push(bytes.subarray(at, at + length))
    at += length
  }
  return levels
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))
