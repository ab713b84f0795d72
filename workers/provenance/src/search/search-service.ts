import { err, ok, type Result } from '@svc/protocol/result'
import { DEFAULT_MATCHES, VECTOR_RULES } from '@svc/protocol/vector-services'
import type { TextStore } from '../text/text-store.ts'
import { MAX_TOP_K, unpacked } from '../vectors/vector-index.ts'
import type { VectorSet } from '../vectors/vector-set.ts'
import type { VectorSetService } from '../vectors/vector-set-service.ts'
import type { VectorSetRow, VectorSetStore } from '../vectors/vector-set-store.ts'
import { candidatesOf, type Scored, type ScoredAsset, type SearchKind, scoreAsset, serviceOf } from './search.ts'

export interface FoundAsset extends Scored {
  readonly row: VectorSetRow
  readonly set: VectorSet
}
export interface FoundText extends FoundAsset {
  readonly wordCount: number
  readonly registeredAt: number
}

export type SearchRefusal = { readonly reason: 'not_provisioned' }

/** Finds assets by vectors: the index says where to look, and what is kept decides. */
export class SearchService {
  readonly #sets: VectorSetService
  readonly #store: VectorSetStore
  readonly #texts: TextStore

  constructor(sets: VectorSetService, store: VectorSetStore, texts: TextStore) {
    this.#sets = sets
    this.#store = store
    this.#texts = texts
  }

  async text(query: Uint8Array): Promise<Result<FoundText[], SearchRefusal>> {
    const rows = await this.#candidates('text', query)
    if (!rows.ok) return rows
    const manifests = await this.#texts.findAll(rows.value.map(({ assetId }) => assetId))
    const found = await this.#score('text', query, rows.value, (row) =>
      manifests.find(({ assetId }) => assetId === row.assetId),
    )
    return ok(found.map(({ of, ...asset }) => ({ ...asset, wordCount: of.wordCount, registeredAt: of.registeredAt })))
  }

  async media(
    kind: Exclude<SearchKind, 'text'>,
    query: Uint8Array,
    limit: number,
  ): Promise<Result<FoundAsset[], SearchRefusal>> {
    const rows = await this.#candidates(kind, query)
    if (!rows.ok) return rows
    const found = await this.#score(kind, query, rows.value, () => ({ wordCount: null }))
    return ok(found.slice(0, limit))
  }

  async #candidates(kind: SearchKind, query: Uint8Array): Promise<Result<VectorSetRow[], SearchRefusal>> {
    const service = serviceOf(kind)
    const index = this.#sets.indexOf(service)
    if (!index) return err({ reason: 'not_provisioned' })
    const { maxDistance } = VECTOR_RULES[service]
    const ids = candidatesOf(await index.nearest(query, { topK: MAX_TOP_K, maxDistance }))
    return ok(ids.length === 0 ? [] : await this.#store.find(service, ids))
  }

  /** Rows without a record, or whose vectors are gone, are as if the index had not named them. */
  async #score<R extends { readonly wordCount: number | null }>(
    kind: SearchKind,
    query: Uint8Array,
    rows: readonly VectorSetRow[],
    recordOf: (row: VectorSetRow) => R | undefined,
  ): Promise<(FoundAsset & { of: R })[]> {
    const vectors = unpacked(query)
    const scored = await Promise.all(
      rows.map(async (row) => {
        const of = recordOf(row)
        const set = of && (await this.#store.read(row.bodyKey))
        if (!set) return []
        const asset: ScoredAsset = { places: set.places, vectors: unpacked(set.vectors), words: of.wordCount }
        const score = scoreAsset(kind, vectors, asset)
        return score ? [{ ...score, row, set, of }] : []
      }),
    )
    return scored
      .flat()
      .toSorted((a, b) => b.score - a.score || b.queryContainment - a.queryContainment || a.row.id - b.row.id)
      .slice(0, kind === 'text' ? DEFAULT_MATCHES : undefined)
  }
}
