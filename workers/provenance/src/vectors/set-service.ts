import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { Reindexed } from '@svc/protocol/operator/acts'
import { type CapsuleVectors, MEDIA_SERVICES, type MediaService } from '@svc/protocol/provenance/vector-search'
import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/provenance/vector-services'
import { doneOrDelayed } from '@svc/service'
import { distinctVectors } from './distinct.ts'
import type { Generations } from './generations.ts'
import { packSigns, type VectorPlace, type VectorSet } from './set.ts'
import type { NewVectorSet, Registration, VectorSetRow, VectorSetStore } from './set-store.ts'
import { PACKED_BYTES } from './vector-index.ts'

export type VectorIndexes = { readonly [S in VectorService]: Generations | null }

/** Each set takes one R2 read and one index write, and a Worker may make 1,000 subrequests per request. */
const PAGE = 200

/** Loads registered vectors into the index. The index is derived and can be rebuilt from the stored sets at any time. */
export class VectorSetService {
  readonly #store: VectorSetStore
  /** Null where a service has no index here. */
  readonly indexes: VectorIndexes

  constructor(store: VectorSetStore, indexes: VectorIndexes) {
    this.#store = store
    this.indexes = indexes
  }

  /** Whether every bound index is reachable and has room. */
  async isThere(): Promise<boolean> {
    const bound = Object.values(this.indexes).filter((index): index is Generations => index !== null)
    return (await Promise.all(bound.map((index) => index.isThere()))).every(Boolean)
  }

  /** Asked before anything is written: whether each index that is bound has room for so many more vectors. */
  async hasRoom(vectors: { readonly [S in VectorService]?: number }): Promise<boolean> {
    const rooms = VECTOR_SERVICES.map(async (service) => {
      const [index, more] = [this.indexes[service], vectors[service] ?? 0]
      return index === null || more === 0 || (await index.room()) >= more
    })
    return (await Promise.all(rooms)).every(Boolean)
  }

  /**
   * Adds the vectors that came with a registered capsule. Earlier vectors of the registration stay. `isThere` is asked after
   * they are stored: one that is deleted meanwhile leaves none.
   */
  async attach(
    { assetId, did, position }: Registration,
    vectors: CapsuleVectors,
    isThere: () => Promise<boolean>,
    now: number,
  ): Promise<void> {
    const known = await this.#store.servicesOf({ assetId, did, position })
    const rows: NewVectorSet[] = []
    for (const service of MEDIA_SERVICES) {
      const set = known.includes(service) ? null : vectorSetOf(vectors[service])
      if (set) rows.push({ service, bodyKey: await this.#store.keep(set, now) })
    }
    if (rows.length > 0) {
      await this.#store.insert({ assetId, did, position }, rows)
      if (!(await isThere())) return this.#store.removeUpTo(assetId, did, position)
    }
    await this.index(assetId, did, now)
  }

  /**
   * Indexes the sets of an asset that are not in the index yet. Returns whether the index now has all of them. A failure
   * does not undo the registration: repeating the registration, the hourly upkeep or the operator completes it.
   */
  async index(assetId: string, did: string, now: number): Promise<boolean> {
    let isWhole = true
    const isDone = await doneOrDelayed({ service: 'provenance', delayed: 'vector index' }, async () => {
      for (const row of await this.#store.unindexed(assetId, did)) isWhole = (await this.put(row, now)) && isWhole
    })
    return isDone && isWhole
  }

  /** Reindexes one page of a service’s sets, whether or not they were marked as indexed. Null if no index is bound. */
  async reindex(service: VectorService, after: number, now: number): Promise<Reindexed | null> {
    if (!this.indexes[service]) return null
    const rows = await this.#store.page(service, after, PAGE)
    let indexed = 0
    for (const row of rows) if (await this.put(row, now)) indexed += 1
    const last = rows.length === PAGE ? rows.at(-1) : undefined
    return { indexed, missing: rows.length - indexed, next: last?.id ?? null }
  }

  /** False if its vectors are gone, or it was deleted meanwhile. */
  async put({ id, service, bodyKey }: VectorSetRow, now: number): Promise<boolean> {
    const index = this.indexes[service]
    const set = await this.#store.read(bodyKey)
    if (!index || !set) return false
    const vectors = distinctVectors(set.vectors)
    const generation = await this.#store.announce(id, vectors.length / PACKED_BYTES, index.newest)
    if (generation === null) return false
    const put = await index.put(generation, id, vectors)
    if (!put.ok) throw new DependencyFault('vector index', { cause: new Error(put.error.reason) })
    await this.#store.markIndexed(id, now)
    return true
  }
}

/** Frames carry their position; other vectors are only counted. */
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
