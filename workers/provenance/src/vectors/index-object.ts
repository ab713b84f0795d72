import { type Schema, VersionedObject } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import hamming from './hamming.wasm'
import { type NearestOptions, type Neighbour, PACKED_BYTES, unpacked } from './vector-index.ts'
import { VectorScan } from './vector-scan.ts'

/** 32 MiB of memory, a quarter of an isolate's limit: the objects of all four services may share one isolate. */
export const MAX_VECTORS = 2 ** 20
/** Three of the largest texts. */
const UNDER_WAY = 2 ** 14

const INDEX: Schema = {
  name: 'vector-index',
  unversionedTable: 'sets',
  steps: [
    {
      name: 'sets of vectors',
      sql: `CREATE TABLE IF NOT EXISTS sets (
              seq INTEGER PRIMARY KEY, set_id INTEGER NOT NULL UNIQUE, vectors BLOB NOT NULL
            ) STRICT`,
    },
  ],
}

/**
 * An exact index of one service’s vectors, named after the service. SQLite holds the rows in arrival order; memory holds
 * the same vectors contiguously and is filled from the rows on first use, after an eviction as well as after a start.
 * The table is created with the first set.
 */
export class VectorIndexObject extends VersionedObject {
  static override readonly schemas = [INDEX]
  #loaded: LoadedSets | null = null

  put(set: number, vectors: Uint8Array): Result<void, { readonly reason: 'full' }> {
    const { sql } = this.stored
    const loaded = this.#load()
    const stored = loaded.count > 0 ? this.#stored(set) : undefined
    if (stored && isEqual(stored, vectors)) return ok(undefined)
    if (loaded.count + vectors.length / PACKED_BYTES > MAX_VECTORS) return err({ reason: 'full' })
    this.stored.transact(() => {
      this.stored.create(INDEX)
      sql.exec('INSERT OR REPLACE INTO sets (set_id, vectors) VALUES (?, ?)', set, vectors)
    })
    // Another set under a used number means that D1 was restored to an earlier day: reload from the rows.
    if (stored) this.#loaded = null
    else loaded.append(set, vectors)
    return ok(undefined)
  }

  nearest(queries: Uint8Array, options: NearestOptions): Neighbour[][] {
    return this.#load().nearest(queries, options)
  }

  remove(sets: readonly number[]): void {
    if (!this.stored.exists) return
    const { rowsWritten } = this.stored.sql.exec(
      'DELETE FROM sets WHERE set_id IN (SELECT value FROM json_each(?))',
      JSON.stringify(sets),
    )
    if (rowsWritten > 0) this.#loaded = null
  }

  /** Whether the set is there, with as many vectors. */
  holds(set: number, vectors: number): boolean {
    return this.stored.exists && this.#stored(set)?.length === vectors * PACKED_BYTES
  }

  /** How many more vectors a registration may bring. The rest is for those that were admitted and are under way. */
  room(): number {
    return Math.max(0, MAX_VECTORS - UNDER_WAY - this.#load().count)
  }

  #stored(set: number): Uint8Array | undefined {
    const [row] = this.stored.sql.exec<Row>('SELECT set_id, vectors FROM sets WHERE set_id = ?', set)
    return row && new Uint8Array(row.vectors)
  }

  #load(): LoadedSets {
    if (this.#loaded) return this.#loaded
    const loaded = new LoadedSets()
    if (this.stored.exists)
      for (const { set_id, vectors } of this.stored.sql.exec<Row>('SELECT set_id, vectors FROM sets ORDER BY seq'))
        loaded.append(set_id, new Uint8Array(vectors))
    this.#loaded = loaded
    return loaded
  }
}

type Row = { set_id: number; vectors: ArrayBuffer }

/** The sets in memory. */
class LoadedSets {
  readonly #scan = new VectorScan(hamming)
  readonly #sets: number[] = []
  /** Where each set begins, ascending. */
  readonly #starts: number[] = []

  get count(): number {
    return this.#scan.count
  }

  append(set: number, vectors: Uint8Array): void {
    this.#sets.push(set)
    this.#starts.push(this.#scan.count)
    this.#scan.append(vectors)
  }

  nearest(queries: Uint8Array, options: NearestOptions): Neighbour[][] {
    const endOf = (place: number) => this.#starts[this.#ownerOf(place) + 1] ?? this.count
    return this.#scan.nearest(unpacked(queries), options, endOf).map((places) =>
      places.map(({ place, distance }) => {
        const owner = this.#ownerOf(place)
        return { set: this.#sets[owner]!, place: place - this.#starts[owner]!, distance }
      }),
    )
  }

  /** The last set that begins at or before this place. */
  #ownerOf(place: number): number {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= place) low = middle
      else high = middle
    }
    return low
  }
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, i) => byte === right[i])
}
