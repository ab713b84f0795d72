import { unpackVector } from '@svc/fingerprint'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { ok, type Result } from '@svc/protocol/base/result'
import { type NearestOptions, type Neighbour, unpacked, type VectorIndex } from './vector-index.ts'

const UPSERT_LIMIT = 1_000
/** A Worker has six connections at a time; more calls would only queue. */
const AT_ONCE = 6

/** The part of the binding that is used. */
export interface VectorizeBinding {
  upsert(vectors: { id: string; values: number[] }[]): Promise<unknown>
  describe(): Promise<unknown>
  query(values: number[], options: { topK: number }): Promise<{ matches: { id: string; score: number }[] }>
}

/**
 * Vectorize with the cosine metric, which for vectors of 1 and -1 is exactly 1 - distance / 128. Writes become visible
 * after some seconds. Search is approximate: it may miss a neighbour, and distances are slightly off.
 */
export class VectorizeIndex implements VectorIndex {
  readonly #index: VectorizeBinding

  constructor(index: VectorizeBinding) {
    this.#index = index
  }

  async put(set: number, vectors: Uint8Array): Promise<Result<void, never>> {
    const rows = unpacked(vectors).map((vector, place) => ({ id: `${set}:${place}`, values: unpackVector(vector) }))
    for (let i = 0; i < rows.length; i += UPSERT_LIMIT)
      await reaching('vector index', () => this.#index.upsert(rows.slice(i, i + UPSERT_LIMIT)))
    return ok(undefined)
  }

  async nearest(queries: Uint8Array, { topK, maxDistance }: NearestOptions): Promise<Neighbour[][]> {
    const vectors = unpacked(queries)
    const found: Neighbour[][] = []
    for (let i = 0; i < vectors.length; i += AT_ONCE) {
      const batch = vectors.slice(i, i + AT_ONCE).map((vector) => this.#query(unpackVector(vector), topK))
      found.push(...(await Promise.all(batch)))
    }
    return found.map((neighbours) => neighbours.filter(({ distance }) => distance <= maxDistance))
  }

  async isThere(): Promise<boolean> {
    await reaching('vector index', () => this.#index.describe())
    return true
  }

  async #query(values: number[], topK: number): Promise<Neighbour[]> {
    const { matches } = await reaching('vector index', () => this.#index.query(values, { topK }))
    return matches.flatMap(({ id, score }) => {
      const [, set, place] = /^([0-9]{1,15}):([0-9]{1,15})$/.exec(id) ?? []
      if (set === undefined || place === undefined) return []
      return [{ set: Number(set), place: Number(place), distance: Math.round((1 - score) * 128) }]
    })
  }
}
