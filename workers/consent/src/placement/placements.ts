import { reaching } from '@svc/protocol/base/dependency-fault'
import type { ConsentPlacementObject } from './object.ts'
import { FIRST_STORE_NAMES, firstStoreOf, PLACEMENT_NAME, type Placement } from './stores.ts'

/**
 * Where this isolate believes buckets to be. It begins with the first placement, and learns of a move when a store refuses:
 * nothing is asked before a request, and a wrong belief costs one call.
 */
export class Placements {
  readonly #objects: DurableObjectNamespace<ConsentPlacementObject>
  readonly #known = new Map<number, Placement>()

  constructor(objects: DurableObjectNamespace<ConsentPlacementObject>) {
    this.#objects = objects
  }

  of(bucket: number): Placement {
    return this.#known.get(bucket) ?? { bucket, store: firstStoreOf(bucket), version: 0 }
  }

  /**
   * A store that refuses a bucket names who got it; otherwise the directory is asked, and believed whatever was believed
   * before. Whether there is news.
   */
  async follow(refusal: {
    readonly bucket: number
    readonly version: number
    readonly heir: string | null
  }): Promise<boolean> {
    const { bucket, version, heir } = refusal
    if (heir !== null && this.#learn({ bucket, version, store: heir })) return true
    const placement = await this.#directory((directory) => directory.find(bucket))
    const believed = this.of(bucket)
    if (placement.store === believed.store && placement.version === believed.version) return false
    this.#known.set(bucket, placement)
    return true
  }

  /** All stores that have buckets, as the directory says now. */
  async stores(): Promise<string[]> {
    for (const placement of await this.#directory((directory) => directory.moved())) this.#learn(placement)
    const later = [...this.#known.values()].map(({ store }) => store)
    return [...new Set([...FIRST_STORE_NAMES, ...later])]
  }

  #learn(placement: Placement): boolean {
    if (placement.version <= this.of(placement.bucket).version) return false
    this.#known.set(placement.bucket, placement)
    return true
  }

  #directory<T>(ask: (placement: DurableObjectStub<ConsentPlacementObject>) => Promise<T>): Promise<T> {
    return reaching('consent', () => ask(this.#objects.getByName(PLACEMENT_NAME)))
  }
}
