export interface Manner {
  readonly seed?: number
  /** The most by which a score is off. */
  readonly blur?: number
  readonly capacity?: number
}

/**
 * Vectorize as its documentation and its refusals describe it: at most 1,000 vectors a mutation and 20 a look-up, ids of at
 * most 64 bytes, topK of at most 100, values of the index’s dimensions, scores that are estimates, ties in any order, and
 * mutations that are seen only later or fail after they were accepted.
 */
export class RecordedVectorize {
  readonly #vectors = new Map<string, readonly number[]>()
  readonly #chance: () => number
  readonly #blur: number
  readonly #capacity: number
  #unseen: Mutation[] = []
  readonly upserts: number[] = []
  deletions = 0

  constructor({ seed = 1, blur = 0, capacity = 10_000_000 }: Manner = {}) {
    this.#chance = chanceOf(seed)
    this.#blur = blur
    this.#capacity = capacity
  }

  get ids(): string[] {
    return [...this.#vectors.keys()]
  }

  async upsert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    if (vectors.length > 1_000) throw new Error('VECTOR_UPSERT_ERROR (code = 40008): too many vectors')
    for (const { id, values } of vectors) {
      if (new TextEncoder().encode(id).length > 64) throw new Error('VECTOR_UPSERT_ERROR (code = 40009): id too long')
      if (values.length !== 256) throw new Error('VECTOR_UPSERT_ERROR (code = 40012): invalid vector dimensions')
    }
    if (this.#vectors.size + vectors.length > this.#capacity) throw new Error('VECTOR_UPSERT_ERROR: index is full')
    this.upserts.push(vectors.length)
    return this.#accept(vectors.map(({ id, values }) => ({ id, values: [...values] })))
  }

  async deleteByIds(ids: string[]): Promise<VectorizeAsyncMutation> {
    if (ids.length > 1_000) throw new Error('VECTOR_DELETE_ERROR: too many ids')
    this.deletions += 1
    return this.#accept(ids.map((id) => ({ id, values: null })))
  }

  async getByIds(ids: string[]): Promise<VectorizeVector[]> {
    if (ids.length > 20) throw new Error('VECTOR_GET_ERROR (code = 40007): at most 20 ids')
    return ids.flatMap((id) => {
      const values = this.#vectors.get(id)
      return values ? [{ id, values: [...values] }] : []
    })
  }

  async query(
    values: VectorFloatArray | number[],
    { topK = 5 }: VectorizeQueryOptions = {},
  ): Promise<VectorizeMatches> {
    if (topK > 100) throw new Error('VECTOR_QUERY_ERROR (code = 40025): topK is at most 100')
    if (values.length !== 256) throw new Error('VECTOR_QUERY_ERROR (code = 40006): invalid vector dimensions')
    const matches = [...this.#vectors]
      .map(([id, stored]) => ({ id, score: this.#estimate(cosine([...values], stored)), tie: this.#chance() }))
      .toSorted((a, b) => b.score - a.score || a.tie - b.tie)
      .slice(0, topK)
      .map(({ id, score }) => ({ id, score }))
    return { matches, count: matches.length }
  }

  async describe(): Promise<VectorizeIndexInfo> {
    const vectorCount = this.#vectors.size
    return { vectorCount, dimensions: 256, processedUpToDatetime: 0, processedUpToMutation: 0 }
  }

  /** What was accepted is seen from now on. */
  settle(): void {
    for (const { id, values } of this.#unseen.flat()) {
      if (values) this.#vectors.set(id, values)
      else this.#vectors.delete(id)
    }
    this.#unseen = []
  }

  /** What was accepted fails. */
  fail(): void {
    this.#unseen = []
  }

  #accept(mutation: Mutation): VectorizeAsyncMutation {
    this.#unseen.push(mutation)
    return { mutationId: crypto.randomUUID() }
  }

  #estimate(score: number): number {
    return score + (2 * this.#chance() - 1) * this.#blur
  }
}

type Mutation = readonly { readonly id: string; readonly values: readonly number[] | null }[]

function cosine(left: readonly number[], right: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right))
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
