/**
 * Vectorize as its documentation and its refusals describe it: at most 1,000 vectors an upsert, ids of at most 64 bytes,
 * topK of at most 100, values of the index’s dimensions, and writes that are seen only later.
 */
export class RecordedVectorize {
  readonly #vectors = new Map<string, readonly number[]>()
  #unseen: { id: string; values: readonly number[] }[] = []
  readonly upserts: number[] = []

  async upsert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    if (vectors.length > 1_000) throw new Error('VECTOR_UPSERT_ERROR (code = 40008): too many vectors')
    for (const { id, values } of vectors) {
      if (new TextEncoder().encode(id).length > 64) throw new Error('VECTOR_UPSERT_ERROR (code = 40009): id too long')
      if (values.length !== 256) throw new Error('VECTOR_UPSERT_ERROR (code = 40012): invalid vector dimensions')
    }
    this.upserts.push(vectors.length)
    this.#unseen.push(...vectors.map(({ id, values }) => ({ id, values: [...values] })))
    return { mutationId: crypto.randomUUID() }
  }

  async query(
    values: VectorFloatArray | number[],
    { topK = 5 }: VectorizeQueryOptions = {},
  ): Promise<VectorizeMatches> {
    if (topK > 100) throw new Error('VECTOR_QUERY_ERROR (code = 40025): topK is at most 100')
    if (values.length !== 256) throw new Error('VECTOR_QUERY_ERROR (code = 40006): invalid vector dimensions')
    const matches = [...this.#vectors]
      .map(([id, stored]) => ({ id, score: cosine([...values], stored) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, topK)
    return { matches, count: matches.length }
  }

  async describe(): Promise<VectorizeIndexInfo> {
    const vectorCount = this.#vectors.size
    return { vectorCount, dimensions: 256, processedUpToDatetime: 0, processedUpToMutation: 0 }
  }

  /** What was written is seen from now on. */
  settle(): void {
    for (const { id, values } of this.#unseen) this.#vectors.set(id, values)
    this.#unseen = []
  }
}

function cosine(left: readonly number[], right: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right))
}
