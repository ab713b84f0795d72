import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import {
  type IndexedSet,
  type NearestOptions,
  type Neighbour,
  nearestOfEach,
  type Presence,
  type VectorIndex,
} from './vector-index.ts'

/** A set, and the generation that has it. */
export interface PlacedSet extends IndexedSet {
  /** 1 for the first. */
  readonly generation: number
}

/**
 * The indexes of one service, one for each generation. Sets go to the newest, and stay where they went: an index that is full
 * goes on answering, and is never filled again. A query asks all at once, and the nearest of all answers are the answer.
 */
export class Generations {
  readonly #indexes: readonly [VectorIndex, ...VectorIndex[]]

  constructor(indexes: readonly [VectorIndex, ...VectorIndex[]]) {
    this.#indexes = indexes
  }

  /** Where new sets go. */
  get newest(): number {
    return this.#indexes.length
  }

  put(generation: number, set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>> {
    return this.#of(generation).put(set, vectors)
  }

  async nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]> {
    const [first, ...others] = await Promise.all(this.#indexes.map((index) => index.nearest(queries, options)))
    return (first ?? []).map((found, query) =>
      nearestOfEach([found, ...others.map((other) => other[query] ?? [])].flat()).slice(0, options.topK),
    )
  }

  /** Each from the generation that has it. */
  async remove(sets: readonly PlacedSet[]): Promise<void> {
    const byGeneration = Map.groupBy(sets, ({ generation }) => generation)
    await Promise.all([...byGeneration].map(([generation, some]) => this.#of(generation).remove(some)))
  }

  presence(set: PlacedSet): Promise<Presence> {
    return this.#of(set.generation).presence(set)
  }

  /** How many more vectors a registration may bring. Zero: it is time for the next generation. */
  room(): Promise<number> {
    return this.#of(this.newest).room()
  }

  /** Whether all can be reached, and the newest has room. */
  async isThere(): Promise<boolean> {
    const rooms = await Promise.all(this.#indexes.map((index) => index.room()))
    return (rooms.at(-1) ?? 0) > 0
  }

  /** A generation that is not bound any more is as one that cannot be reached: nothing is taken to be gone from it. */
  #of(generation: number): VectorIndex {
    const index = this.#indexes[generation - 1]
    if (!index) throw new DependencyFault('vector index', { cause: new Error(`generation ${generation} is not bound`) })
    return index
  }
}
