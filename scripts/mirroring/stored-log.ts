import { toHex } from '@svc/protocol/base/hash'
import { HASH_BYTES } from '@svc/protocol/base/labels'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { type LoggedAnchor, loggedOf } from '@svc/protocol/ledger/anchor-log'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { entryHash } from '@svc/protocol/merkle/entries'
import type { MerkleLog } from '@svc/protocol/merkle/log'
import {
  appendLeaves,
  edgeFrontier,
  overTiles,
  TILE_WIDTH,
  type TileBytes,
  type TileEdge,
  type TileName,
} from '@svc/protocol/merkle/tiles'
import type { MirrorDatabase } from './mirror-database.ts'

/** A checkpoint that the mirror has verified down to the leaves. */
export interface StoredHead {
  readonly checkpoint: LogCheckpoint
  readonly cosignatures: readonly SignedCosignature[]
}

export interface NewLeaf {
  readonly line: string
  /** The id by which it is looked up; null for what opens and closes the log. */
  readonly item: string | null
}

export interface StoredBody {
  readonly index: number
  readonly anchor: LoggedAnchor
}

/** One log in the store: its leaves, their tree in tiles, and the last verified checkpoint. */
export class StoredLog {
  readonly name: string
  readonly #store: MirrorDatabase
  readonly #no: number

  constructor(store: MirrorDatabase, name: string, no: number) {
    this.#store = store
    this.name = name
    this.#no = no
  }

  /** How many leaves were read, and up to which one their bodies; verified or not. */
  get read(): { readonly leaves: number; readonly bodies: number } {
    const row = this.#row
    return { leaves: Number(row['leaves']), bodies: Number(row['bodies']) }
  }

  get head(): StoredHead | null {
    const { head } = this.#row
    return typeof head === 'string' ? (JSON.parse(head) as StoredHead) : null
  }

  /** When the mirror verified it last, epoch ms. */
  get verifiedAt(): number {
    return Number(this.#row['verified_at'])
  }

  get isClosed(): boolean {
    return this.#row['is_closed'] === 1
  }

  /** Adds leaves after those that were read, with the tiles that they fill. */
  append(leaves: readonly NewLeaf[]): void {
    this.#store.transact(() => {
      const { leaves: size } = this.read
      for (const [i, { line, item }] of leaves.entries())
        this.#store.run(
          'INSERT INTO leaves (log_no, idx, line, item) VALUES (?, ?, ?, ?)',
          this.#no,
          size + i,
          line,
          item,
        )
      const grown = appendLeaves(
        this.#edge(size),
        leaves.map(({ line }) => entryHash(line)),
      )
      for (const { level, index, bytes } of grown.tiles)
        this.#store.run(
          `INSERT INTO tiles (log_no, level, idx, bytes) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO UPDATE SET bytes = ?4`,
          this.#no,
          level,
          index,
          bytes,
        )
      this.#store.run('UPDATE logs SET leaves = ? WHERE log_no = ?', grown.size, this.#no)
    })
  }

  /** The leaves whose bodies were not shown when they were read. */
  missing(): number[] {
    return this.#store
      .all('SELECT idx FROM missing WHERE log_no = ? ORDER BY idx', this.#no)
      .map(({ idx }) => Number(idx))
  }

  /** The leaves of a part that the operator withholds. */
  withheld(from: number, to: number): number[] {
    return this.#store
      .all('SELECT idx FROM withheld WHERE log_no = ? AND idx >= ? AND idx < ? ORDER BY idx', this.#no, from, to)
      .map(({ idx }) => Number(idx))
  }

  /** Adds verified bodies of leaves up to an index, and which were not shown. */
  putBodies(bodies: readonly StoredBody[], missing: readonly number[], to: number): void {
    this.#store.transact(() => {
      for (const index of missing)
        this.#store.run('INSERT INTO missing (log_no, idx) VALUES (?, ?) ON CONFLICT DO NOTHING', this.#no, index)
      for (const { index } of bodies)
        this.#store.run('DELETE FROM missing WHERE log_no = ? AND idx = ?', this.#no, index)
      for (const { index, anchor } of bodies)
        this.#store.run(
          'INSERT INTO bodies (log_no, idx, anchor_id, owner, anchor) VALUES (?, ?, ?, ?, ?)',
          this.#no,
          index,
          anchor.anchorId,
          anchor.owner,
          JSON.stringify(loggedOf(anchor)),
        )
      this.#store.run('UPDATE logs SET bodies = max(bodies, ?) WHERE log_no = ?', to, this.#no)
    })
  }

  /** What is served from now on. The caller has verified that the leaves which were read hash to it. */
  advance(head: StoredHead, now: number, isClosed: boolean): void {
    this.#store.run(
      'UPDATE logs SET size = ?, head = ?, verified_at = ?, is_closed = ? WHERE log_no = ?',
      head.checkpoint.statement.size,
      JSON.stringify(head),
      now,
      isClosed ? 1 : 0,
      this.#no,
    )
  }

  /** Forgets what was read beyond the verified head. */
  forgetUnverified(): void {
    const size = this.head?.checkpoint.statement.size ?? 0
    this.#store.transact(() => {
      for (const table of ['leaves', 'bodies', 'missing'])
        this.#store.run(`DELETE FROM ${table} WHERE log_no = ? AND idx >= ?`, this.#no, size)
      for (const { level, hashes } of levelsOf(Math.max(size, this.read.leaves))) {
        const kept = Math.floor(size / TILE_WIDTH ** level)
        if (hashes === kept) continue
        const last = Math.floor(kept / TILE_WIDTH)
        this.#store.run(
          'DELETE FROM tiles WHERE log_no = ? AND level = ? AND idx >= ?',
          this.#no,
          level,
          last + (kept % TILE_WIDTH > 0 ? 1 : 0),
        )
        // A tile without the roots of its subtrees is a valid tile: readers compute them.
        this.#store.run(
          'UPDATE tiles SET bytes = substr(bytes, 1, ?) WHERE log_no = ? AND level = ? AND idx = ?',
          (kept % TILE_WIDTH) * HASH_BYTES,
          this.#no,
          level,
          last,
        )
      }
      this.#store.run('UPDATE logs SET leaves = ?1, bodies = min(bodies, ?1) WHERE log_no = ?2', size, this.#no)
    })
  }

  lines(from: number, to: number): string[] {
    return this.#store
      .all('SELECT line FROM leaves WHERE log_no = ? AND idx >= ? AND idx < ? ORDER BY idx', this.#no, from, to)
      .map(({ line }) => String(line))
  }

  /** In this log or another one. */
  hasAnchor(anchorId: string): boolean {
    return this.#store.get('SELECT 1 FROM bodies WHERE anchor_id = ?', anchorId) !== null
  }

  bodies(from: number, to: number): StoredBody[] {
    return this.#store
      .all('SELECT idx, anchor FROM bodies WHERE log_no = ? AND idx >= ? AND idx < ? ORDER BY idx', this.#no, from, to)
      .map(bodyOf)
  }

  /** The root of the first `size` leaves, which were read. */
  root(size: number): Promise<string> {
    return this.#over((log) => toHex(log.root(size)))
  }

  inclusion(index: number, size: number): Promise<string[]> {
    return this.#over((log) => log.inclusion(index, size).map(toHex))
  }

  consistency(first: number, second: number): Promise<string[]> {
    return this.#over((log) => log.consistency(first, second).map(toHex))
  }

  #over<T>(work: (log: MerkleLog) => T): Promise<T> {
    const size = this.read.leaves
    return overTiles({ size, frontier: edgeFrontier(this.#edge(size)) }, work, async (tile) => this.#tile(tile))
  }

  /** The right edge of the first `size` leaves: of each level, the hashes of its last tile if it is not full. */
  #edge(size: number): TileEdge {
    const edge = levelsOf(size).map(({ level, hashes }) => {
      const width = hashes % TILE_WIDTH
      if (width === 0) return new Uint8Array()
      return this.#tile({ level, index: Math.floor(hashes / TILE_WIDTH) }).subarray(0, width * HASH_BYTES)
    })
    return { size, edge }
  }

  #tile({ level, index }: TileName): TileBytes {
    const row = this.#store.get(
      'SELECT bytes FROM tiles WHERE log_no = ? AND level = ? AND idx = ?',
      this.#no,
      level,
      index,
    )
    if (!row) throw new Error(`${this.name} lacks tile ${level}/${index}`)
    return new Uint8Array(row['bytes'] as Uint8Array)
  }

  get #row(): Record<string, unknown> {
    const row = this.#store.get(
      'SELECT leaves, bodies, head, verified_at, is_closed FROM logs WHERE log_no = ?',
      this.#no,
    )
    if (!row) throw new Error(`${this.name} is not stored`)
    return row
  }
}

/** Of each level of tiles, how many hashes a log of this size has. */
function levelsOf(size: number): { readonly level: number; readonly hashes: number }[] {
  const levels = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH))
    levels.push({ level, hashes })
  return levels
}

/** A row of `bodies`. */
export function bodyOf(row: Record<string, unknown>): StoredBody {
  return { index: Number(row['idx']), anchor: JSON.parse(String(row['anchor'])) as LoggedAnchor }
}
