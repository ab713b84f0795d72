import { reaching } from '@svc/protocol/base/dependency-fault'
import type { ConsentMove, ConsentMoveStatement } from '@svc/protocol/consent/moves'
import type { ConsentPlacementObject } from '../placement/object.ts'
import { PLACEMENT_NAME } from '../placement/stores.ts'
import type { ConsentStoreObject } from '../store/object.ts'
import type { MoveProgress } from './mover.ts'

/** Begins moves of buckets and follows them. The store that gives the bucket away does the work. */
export class MoveService {
  readonly #stores: DurableObjectNamespace<ConsentStoreObject>
  readonly #placement: DurableObjectNamespace<ConsentPlacementObject>

  constructor(
    stores: DurableObjectNamespace<ConsentStoreObject>,
    placement: DurableObjectNamespace<ConsentPlacementObject>,
  ) {
    this.#stores = stores
    this.#placement = placement
  }

  /** Idempotent: a move that is under way is continued, and one that is done stays done. */
  async move({ bucket, from, to }: Pick<ConsentMoveStatement, 'bucket' | 'from' | 'to'>): Promise<ConsentMove> {
    if (from === to) return this.#elsewhere(bucket)
    const store = this.#stores.getByName(from)
    const progress = await reaching<MoveProgress>('consent', async () => store.move(bucket, to))
    if (progress.state === 'not_here') return this.#elsewhere(bucket)
    return { bucket, store: progress.target, state: progress.state }
  }

  async #elsewhere(bucket: number): Promise<ConsentMove> {
    const placement = this.#placement.getByName(PLACEMENT_NAME)
    const { store } = await reaching('consent', () => placement.find(bucket))
    return { bucket, store, state: 'elsewhere' }
  }
}
