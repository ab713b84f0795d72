import { DurableObject } from 'cloudflare:workers'
import { err, ok, type Result } from '@svc/protocol/result'
import hamming from './hamming.wasm'
import { type NearestOptions, type Neighbour, PACKED_BYTES, unpacked } from './vector-index.ts'
import { VectorScan } from './vector-scan.ts'

/** 32 MiB in memory, a quarter of what an isolate may have: the objects of the four services may share one. */
export const MAX_VECTORS = 2 ** 20

/**
 * An exact index of one service’s vectors, named after the service. Rows are in SQLite, in the order in which they came;
 * memory holds the same vectors one behind the other and is filled from the rows when it is first needed, after an
 * eviction as after a start. The table is made with the first set.
 */
export class VectorIndexObject extends DurableObject {
  #loaded: LoadedSets | null = null

  put(set: number, vectors: Uint8Array): Result<void, { readonly reason: 'full' }> {
    const { sql } = this.ctx.storage
    const loaded = this.#load()
    const stored = loaded.count > 0 ? this.#stored(set) : undefined
    if (stored && isEqual(stored, vectors)) return ok(undefined)
    if (loaded.count + vectors.length / PACKED_BYTES > MAX_VECTORS) return err({ reason: 'full' })
    this.ctx.storage.transactionSync(() => {
      sql.exec(
        'CREATE TABLE IF NOT EXISTS sets (seq INTEGER PRIMARY KEY, set_id INTEGER NOT NULL UNIQUE, vectors BLOB NOT NULL) STRICT',
      )
      sql.exec('INSERT OR REPLACE INTO sets (set_id, vectors) VALUES (?, ?)', set, vectors)
    })
    // Another set under a number that was taken means that D1 was put back to an earlier day: begin again from the rows.
    if (stored) this.#loaded = null
    else loaded.append(set, vectors)
    return ok(undefined)
  }

  nearest(queries: Uint8Array, options: NearestOptions): Neighbour[][] {
    return this.#load().nearest(queries, options)
  }

  #stored(set: number): Uint8Array | undefined {
    const [row] = this.ctx.storage.sql.exec<Row>('SELECT set_id, vectors FROM sets WHERE set_id = ?', set)
    return row && new Uint8Array(row.vectors)
  }

  #load(): LoadedSets {
    if (this.#loaded) return this.#loaded
    const loaded = new LoadedSets()
    const { sql } = this.ctx.storage
    if (sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sets'").toArray().length > 0)
      for (const { set_id, vectors } of sql.exec<Row>('SELECT set_id, vectors FROM sets ORDER BY seq'))
        loaded.append(set_id, new Uint8Array(vectors))
    this.#loaded = loaded
    return loaded
  }
}

type Row = { set_id: number; vectors: ArrayBuffer }

/** The sets as they stand in memory. */
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

  nearest(queries: Uint8Array, { topK, maxDistance }: NearestOptions): Neighbour[][] {
    return this.#scan.nearest(unpacked(queries), topK, maxDistance).map((places) =>
      places.map(({ place, distance }) => {
        const owner = this.#ownerOf(place)
        return { set: this.#sets[owner]!, place: place - this.#starts[owner]!, distance }
      }),
    )
  }

  /** The last set that begins at this place or before it. */
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
