import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownStatement } from '@svc/protocol/operator/takedown'
import type { TakedownStore } from './store.ts'

export type TakedownRefusal = { readonly reason: 'not_found' }

/** Takes assets and keypoint blobs down. */
export class TakedownService {
  readonly #store: TakedownStore

  constructor(store: TakedownStore) {
    this.#store = store
  }

  /** Idempotent: after a crash between the two steps, the act sent again deletes what is left. */
  async takeDown(
    statement: TakedownStatement,
    operator: string,
    now: number,
  ): Promise<Result<object, TakedownRefusal>> {
    if (!(await this.#store.record(statement, operator, now))) return err({ reason: 'not_found' })
    await this.#store.deleteBlobs(statement.subject.id)
    return ok({})
  }
}
