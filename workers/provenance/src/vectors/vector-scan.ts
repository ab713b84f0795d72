import { PACKED_BYTES } from './vector-index.ts'

/** Half of a first-level cache: every query passes over a block while the block is cached. */
const BLOCK = 512
const PAGE_BYTES = 65_536
/** Room for the hits of one block, four bytes each. The queries follow; the vectors begin on the next page. */
const QUERY_AT = BLOCK * 4
const VECTORS_AT = PAGE_BYTES
const GROWTH_PAGES = 16

export interface Place {
  readonly place: number
  readonly distance: number
}

interface Kernel {
  readonly memory: WebAssembly.Memory
  readonly scan: (query: number, vectors: number, count: number, limit: number, out: number) => number
}

/** Vectors in one contiguous memory, searched exhaustively: no neighbour is missed. */
export class VectorScan {
  readonly #kernel: Kernel
  #count = 0

  /** `module` is what `hamming.wat` assembles to. */
  constructor(module: WebAssembly.Module) {
    this.#kernel = new WebAssembly.Instance(module).exports as unknown as Kernel
  }

  get count(): number {
    return this.#count
  }

  /** Appends vectors. */
  append(vectors: Uint8Array): void {
    const { memory } = this.#kernel
    const at = VECTORS_AT + this.#count * PACKED_BYTES
    const missing = Math.ceil((at + vectors.length - memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) memory.grow(Math.max(missing, GROWTH_PAGES))
    new Uint8Array(memory.buffer).set(vectors, at)
    this.#count += vectors.length / PACKED_BYTES
  }

  /**
   * For each query the nearest place of at most `topK` sets within `maxDistance`, nearest first; ties go to the lower place.
   * `endOf` says where the set of a place ends.
   */
  nearest(
    queries: readonly Uint8Array[],
    { topK, maxDistance }: { readonly topK: number; readonly maxDistance: number },
    endOf: (place: number) => number,
  ): Place[][] {
    const found = queries.map(() => new Nearest(topK, maxDistance, endOf))
    if (QUERY_AT + queries.length * PACKED_BYTES > VECTORS_AT) throw new RangeError('too many queries')
    const { memory, scan } = this.#kernel
    for (const [i, query] of queries.entries()) new Uint8Array(memory.buffer).set(query, QUERY_AT + i * PACKED_BYTES)
    const hits = new Int32Array(memory.buffer, 0, BLOCK)
    for (let first = 0; first < this.#count; first += BLOCK) {
      const length = Math.min(BLOCK, this.#count - first)
      for (const [i, nearest] of found.entries()) {
        const { limit } = nearest
        if (limit < 0) continue
        const at = VECTORS_AT + first * PACKED_BYTES
        const count = scan(QUERY_AT + i * PACKED_BYTES, at, length, limit, 0)
        for (let hit = 0; hit < count; hit++) nearest.offer(first + (hits[hit]! >> 9), hits[hit]! & 511)
      }
    }
    return found.map(({ places }) => places)
  }
}

/** The best hit of each set so far, in order. Places arrive in ascending order, so a tie with the last hit is dropped. */
class Nearest {
  readonly places: Place[] = []
  readonly #topK: number
  readonly #maxDistance: number
  readonly #endOf: (place: number) => number
  /** Where the set of the last hit ends, and its best hit. */
  #end = 0
  #best: Place | null = null

  constructor(topK: number, maxDistance: number, endOf: (place: number) => number) {
    this.#topK = topK
    this.#maxDistance = maxDistance
    this.#endOf = endOf
  }

  /** The largest distance that still counts; negative if nothing does any more. */
  get limit(): number {
    const last = this.places[this.#topK - 1]
    return last ? last.distance - 1 : this.#maxDistance
  }

  offer(place: number, distance: number): void {
    if (distance > this.limit) return
    if (place >= this.#end) {
      this.#end = this.#endOf(place)
      this.#best = null
    }
    if (this.#best) {
      if (this.#best.distance <= distance) return
      const before = this.places.indexOf(this.#best)
      if (before >= 0) this.places.splice(before, 1)
    }
    this.#best = { place, distance }
    let at = this.places.length
    while (at > 0 && this.places[at - 1]!.distance > distance) at -= 1
    this.places.splice(at, 0, this.#best)
    if (this.places.length > this.#topK) this.places.pop()
  }
}
