import { reaching } from '@svc/protocol/base/dependency-fault'
import type { Result } from '@svc/protocol/base/result'
import type { VectorIndexObject } from './index-object.ts'
import type { NearestOptions, Neighbour, VectorIndex } from './vector-index.ts'

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

  async isThere(): Promise<boolean> {
    return (await this.nearest(new Uint8Array(), { topK: 1, maxDistance: 0 })).length === 0
  }
}
