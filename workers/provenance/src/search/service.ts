import { err, ok, type Result } from '@svc/protocol/base/result'
import { DEFAULT_MATCHES, VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import type { TextStore } from '../text/store.ts'
import type { VectorSet } from '../vectors/set.ts'
import type { VectorSetService } from '../vectors/set-service.ts'
import type { VectorSetRow, VectorSetStore } from '../vectors/set-store.ts'
import { MAX_TOP_K, unpacked } from '../vectors/vector-index.ts'
import {
  byRank,
  type Candidate,
  candidatesOf,
  fewOfEach,
  type SearchKind,
  type Similarity,
  serviceOf,
  similarityOf,
} from './rules.ts'

/** A candidate that the query matches, with its registration. */
export interface Match extends Similarity {
  readonly row: VectorSetRow
  readonly set: VectorSet
  readonly isPadded: boolean
}
export interface TextMatch extends Match {
  readonly chunkCount: number
  readonly wordCount: number
  readonly registeredAt: number
}

export type SearchRefusal = { readonly reason: 'not_provisioned' }

/** Finds assets by vectors: the index proposes candidates, and the stored vectors decide. */
export class SearchService {
  readonly #sets: VectorSetService
  readonly #store: VectorSetStore
  readonly #texts: TextStore

  constructor(sets: VectorSetService, store: VectorSetStore, texts: TextStore) {
    this.#sets = sets
    this.#store = store
    this.#texts = texts
  }

  async text(query: Uint8Array): Promise<Result<TextMatch[], SearchRefusal>> {
    const rows = await this.#candidates('text', query)
    if (!rows.ok) return rows
    const texts = new Map(
      (await this.#texts.findAll(rows.value.map(({ assetId }) => assetId))).map((text) => [text.assetId, text]),
    )
    const proposed = rows.value.flatMap((row) => {
      const text = texts.get(row.assetId)
      return text ? [{ row, registrant: text.registrant }] : []
    })
    const few = fewOfEach(proposed).map(({ row }) => row)
    const found = await this.#score('text', query, few, (row) => texts.get(row.assetId))
    return ok(
      found.map(({ of: { chunkCount, wordCount, registeredAt }, ...asset }) => ({
        ...asset,
        chunkCount,
        wordCount,
        registeredAt,
      })),
    )
  }

  async media(
    kind: Exclude<SearchKind, 'text'>,
    query: Uint8Array,
    limit: number,
  ): Promise<Result<Match[], SearchRefusal>> {
    const rows = await this.#candidates(kind, query)
    if (!rows.ok) return rows
    const found = await this.#score(kind, query, rows.value, () => ({ wordCount: null, isPadded: false }))
    return ok(found.slice(0, limit))
  }

  /** The best first. */
  async #candidates(kind: SearchKind, query: Uint8Array): Promise<Result<VectorSetRow[], SearchRefusal>> {
    const service = serviceOf(kind)
    const index = this.#sets.indexes[service]
    if (!index) return err({ reason: 'not_provisioned' })
    const { maxDistance } = VECTOR_RULES[service]
    const ids = candidatesOf(await index.nearest(query, { topK: MAX_TOP_K, maxDistance }), kind)
    const rows = new Map(ids.length === 0 ? [] : (await this.#store.find(service, ids)).map((row) => [row.id, row]))
    return ok(ids.flatMap((id) => rows.get(id) ?? []))
  }

  /** Skips candidates without a record or whose vectors are gone. */
  async #score<R extends { readonly wordCount: number | null; readonly isPadded: boolean }>(
    kind: SearchKind,
    query: Uint8Array,
    rows: readonly VectorSetRow[],
    recordOf: (row: VectorSetRow) => R | undefined,
  ): Promise<(Match & { of: R })[]> {
    const vectors = unpacked(query)
    const scored = await Promise.all(
      rows.map(async (row) => {
        const of = recordOf(row)
        const set = of && (await this.#store.read(row.bodyKey))
        if (!set) return []
        const candidate: Candidate = { places: set.places, vectors: unpacked(set.vectors), words: of.wordCount }
        const score = similarityOf(kind, vectors, candidate)
        return score ? [{ ...score, row, set, of, isPadded: of.isPadded }] : []
      }),
    )
    return scored
      .flat()
      .toSorted(byRank)
      .slice(0, kind === 'text' ? DEFAULT_MATCHES : undefined)
  }
}
