import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownStatement } from '@svc/protocol/operator/takedown'
import type { CapsuleStore } from '../capsules/store.ts'
import type { TakedownStore } from './store.ts'

export type TakedownRefusal = { readonly reason: 'not_found' }

/** Takes assets and keypoint blobs down. */
export class TakedownService {
  readonly #store: TakedownStore
  readonly #capsules: Pick<CapsuleStore, 'takeDown'>

  constructor(store: TakedownStore, capsules: Pick<CapsuleStore, 'takeDown'>) {
    this.#store = store
    this.#capsules = capsules
  }

  /** Idempotent: after a crash between two steps, the act sent again does what is left. */
  async takeDown(
    statement: TakedownStatement,
    operator: string,
    now: number,
  ): Promise<Result<object, TakedownRefusal>> {
    const { subject, reason } = statement
    const isKnown = await this.#capsules.takeDown(subject.id, reason, now)
    if (!(await this.#store.record(statement, { operator, isKnown }, now))) return err({ reason: 'not_found' })
    await this.#store.deleteBlobs(subject.id)
    return ok({})
  }
}
