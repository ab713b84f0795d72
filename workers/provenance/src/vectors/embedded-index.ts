import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { VectorIndexObject } from './index-object.ts'
import type { IndexedSet, NearestOptions, Neighbour, Presence, VectorIndex } from './vector-index.ts'

/** The exact index in a Durable Object of this deployment. Consistency: read your writes. */
export class EmbeddedIndex implements VectorIndex {
  readonly #objects: DurableObjectNamespace<VectorIndexObject>
  readonly #name: string

  constructor(objects: DurableObjectNamespace<VectorIndexObject>, name: string) {
    this.#objects = objects
    this.#name = name
  }

  put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>> {
    return reaching('vector index', async () => this.#objects.getByName(this.#name).put(set, vectors))
  }

  nearest(queries: Uint8Array, options: NearestOptions): Promise<Neighbour[][]> {
    return reaching('vector index', async () => this.#objects.getByName(this.#name).nearest(queries, options))
  }

  remove(sets: readonly IndexedSet[]): Promise<void> {
    return reaching('vector index', async () => this.#objects.getByName(this.#name).remove(sets.map(({ set }) => set)))
  }

  async presence({ set, vectors }: IndexedSet): Promise<Presence> {
    const holds = await reaching('vector index', async () => this.#objects.getByName(this.#name).holds(set, vectors))
    return holds ? 'whole' : 'none'
  }

  room(): Promise<number> {
    return reaching('vector index', async () => this.#objects.getByName(this.#name).room())
  }

  async isThere(): Promise<boolean> {
    return (await this.room()) > 0
  }
}
