import { DependencyFault } from '@svc/protocol/dependency-fault'
import type { Reindexed } from '@svc/protocol/reindex'
import { type CapsuleVectors, MEDIA_SERVICES, type MediaService } from '@svc/protocol/vector-search'
import type { VectorService } from '@svc/protocol/vector-services'
import type { VectorIndex } from './vector-index.ts'
import { packSigns, type VectorPlace, type VectorSet } from './vector-set.ts'
import type { VectorSetRow, VectorSetStore } from './vector-set-store.ts'

export type VectorIndexes = { readonly [S in VectorService]: VectorIndex | null }

/** Each set takes a read of R2 and a write to the index, and a Worker may make 1,000 calls for one request. */
const PAGE = 200

/** Brings registered vectors into the index, which is derived from what is kept and can be made again at any time. */
export class VectorSetService {
  readonly #store: VectorSetStore
  readonly #indexes: VectorIndexes

  constructor(store: VectorSetStore, indexes: VectorIndexes) {
    this.#store = store
    this.#indexes = indexes
  }

  indexOf(service: VectorService): VectorIndex | null {
    return this.#indexes[service]
  }

  /** Whether every index that is bound can be reached. */
  async isThere(): Promise<boolean> {
    const bound = Object.values(this.#indexes).filter((index): index is VectorIndex => index !== null)
    return (await Promise.all(bound.map((index) => index.isThere()))).every(Boolean)
  }

  /** Brings in what a registered capsule came with. What it came with before stays. */
  async attach(
    { assetId, did }: { readonly assetId: string; readonly did: string },
    vectors: CapsuleVectors,
    now: number,
  ): Promise<void> {
    const rows: Omit<VectorSetRow, 'id'>[] = []
    for (const service of MEDIA_SERVICES) {
      const set = vectorSetOf(vectors[service])
      if (set) rows.push({ service, assetId, did, bodyKey: await this.#store.keep(set) })
    }
    if (rows.length === 0) return
    await this.#store.insert(rows)
    await this.index(assetId, did, now)
  }

  /**
   * Puts in what is registered of an asset and not yet in the index. Whether all of it is now: a fault undoes no
   * registration, since the same registration again, or the operator, makes up for it.
   */
  async index(assetId: string, did: string, now: number): Promise<boolean> {
    try {
      let isWhole = true
      for (const row of await this.#store.unindexed(assetId, did)) isWhole = (await this.#put(row, now)) && isWhole
      return isWhole
    } catch (error) {
      if (error instanceof DependencyFault) return false
      throw error
    }
  }

  /** One page of a service’s sets, whatever was believed to be in the index. Null where none is bound. */
  async reindex(service: VectorService, after: number, now: number): Promise<Reindexed | null> {
    if (!this.#indexes[service]) return null
    const rows = await this.#store.page(service, after, PAGE)
    let indexed = 0
    for (const row of rows) if (await this.#put(row, now)) indexed += 1
    const last = rows.length === PAGE ? rows.at(-1) : undefined
    return { indexed, missing: rows.length - indexed, next: last?.id ?? null }
  }

  async #put({ id, service, bodyKey }: VectorSetRow, now: number): Promise<boolean> {
    const index = this.#indexes[service]
    const set = await this.#store.read(bodyKey)
    if (!index || !set) return false
    const put = await index.put(id, set.vectors)
    if (!put.ok) throw new DependencyFault('vector index', { cause: new Error(put.error.reason) })
    await this.#store.markIndexed(id, now)
    return true
  }
}

/** Frames know where they are; other vectors are only counted. */
function vectorSetOf(vectors: CapsuleVectors[MediaService]): VectorSet | null {
  if (!vectors) return null
  const places: VectorPlace[] = []
  const signs: (readonly number[])[] = []
  for (const [index, vector] of vectors.entries()) {
    const isFrame = 'at_ms' in vector
    places.push({ index, start: isFrame ? vector.at_ms : 0, extent: 0 })
    signs.push(isFrame ? vector.values : vector)
  }
  return { places, vectors: packSigns(signs) }
}
