import type { Result } from '@svc/protocol/base/result'
import {
  type IndexedSet,
  type NearestOptions,
  type Neighbour,
  nearestOfEach,
  type Presence,
  type VectorIndex,
} from './vector-index.ts'

/**
 * Several indexes that are one. The number of a set says which of them has it; a query asks all at once, and the nearest of
 * all answers are the answer.
 */
export class SplitIndex implements VectorIndex {
  readonly #parts: readonly [VectorIndex, ...VectorIndex[]]

  constructor(parts: readonly [VectorIndex, ...VectorIndex[]]) {
    this.#parts = parts
  }

  put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>> {
    return this.#partOf(set).put(set, vectors)
  }

  async nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]> {
    const [first, ...others] = await this.#all((part) => part.nearest(queries, options))
    return (first ?? []).map((found, query) =>
      nearestOfEach([found, ...others.map((other) => other[query] ?? [])].flat()).slice(0, options.topK),
    )
  }

  /** From all of them: a set had another place when there were fewer. */
  async remove(sets: readonly IndexedSet[]): Promise<void> {
    await this.#all((part) => part.remove(sets))
  }

  presence(set: IndexedSet): Promise<Presence> {
    return this.#partOf(set.set).presence(set)
  }

  /** The least of them: a set has no number yet when its registration asks. */
  async room(): Promise<number> {
    return Math.min(...(await this.#all((part) => part.room())))
  }

  async isThere(): Promise<boolean> {
    return (await this.#all((part) => part.isThere())).every(Boolean)
  }

  #partOf(set: number): VectorIndex {
    return this.#parts[set % this.#parts.length] ?? this.#parts[0]
  }

  #all<T>(ask: (part: VectorIndex) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#parts.map(ask))
  }
}
