import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/provenance/vector-services'
import { doneOrDelayed } from '@svc/service'
import type { Generations } from './generations.ts'
import type { VectorSetService } from './set-service.ts'
import type { SetToCheck, UpkeepStore } from './upkeep-store.ts'

/** Of each service in one run. A look-up is one subrequest, a repair or a removal up to eight; a run may make 1,000. */
const MAX_CHECKED = 60
const MAX_REPAIRED = 10
const MAX_REMOVED = 10
/** A removal is confirmed no earlier: by then, a registration that was under way has ended. */
const CONFIRMED_AFTER_MS = 3_600_000
const RETRIED_AFTER_MS = 3_600_000

/**
 * Keeps indexes in step with the stored sets: looks for what an index has accepted and puts again what is missing, and takes
 * out what was deleted until none of it is found. Every step may be repeated.
 */
export class IndexUpkeep {
  readonly #sets: VectorSetService
  readonly #store: UpkeepStore

  constructor(sets: VectorSetService, store: UpkeepStore) {
    this.#sets = sets
    this.#store = store
  }

  /** An index that fails is left for the next run. */
  async run(now: number): Promise<void> {
    for (const service of VECTOR_SERVICES) {
      const index = this.#sets.indexes[service]
      if (!index) continue
      await doneOrDelayed({ service: 'provenance', delayed: 'vector index' }, async () => {
        await this.#remove(service, index, now)
        await this.#check(service, index, now)
      })
    }
  }

  async #remove(service: VectorService, index: Generations, now: number): Promise<void> {
    const gone: number[] = []
    const left = []
    for (const removal of await this.#store.removals(service, MAX_REMOVED)) {
      const isDue = removal.removedAt !== null && removal.removedAt <= now - CONFIRMED_AFTER_MS
      if (isDue && (await index.presence(removal)) === 'none') gone.push(removal.set)
      else left.push(removal)
    }
    if (gone.length > 0) await this.#store.forget(gone)
    if (left.length === 0) return
    await index.remove(left)
    await this.#store.markRemoved(
      left.map(({ set }) => set),
      now,
    )
  }

  async #check(service: VectorService, index: Generations, now: number): Promise<void> {
    const found: number[] = []
    const missing: SetToCheck[] = []
    for (const row of await this.#store.toCheck(service, now, MAX_CHECKED)) {
      if (await isWhole(index, row)) found.push(row.id)
      else missing.push(row)
    }
    if (found.length > 0) await this.#store.confirm(found)
    for (const row of missing.slice(0, MAX_REPAIRED)) await this.#repair(row, now)
  }

  /** What cannot be put now waits behind the others. */
  async #repair(row: SetToCheck, now: number): Promise<void> {
    await this.#store.postpone([row.id], now + RETRIED_AFTER_MS)
    await this.#sets.put(row, now)
  }
}

async function isWhole(index: Generations, { id, indexed }: SetToCheck): Promise<boolean> {
  return indexed !== null && (await index.presence({ set: id, ...indexed })) === 'whole'
}
