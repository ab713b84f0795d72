import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownStatement } from '@svc/protocol/operator/takedown'
import type { CapsuleStore } from '../capsules/store.ts'
import type { TakedownStore } from './store.ts'

const UNKNOWN = { isKnown: false, isClean: true } as const

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
    const isCapsule = subject.kind === 'capsule'
    const before = isCapsule ? await this.#capsules.takeDown(subject.id, reason, false, now) : UNKNOWN
    if (!(await this.#store.record(statement, { operator, isKnown: before.isKnown }, now))) {
      return err({ reason: 'not_found' })
    }
    // Known by its vectors alone: nothing is registered from now on.
    const { isClean } =
      isCapsule && !before.isKnown ? await this.#capsules.takeDown(subject.id, reason, true, now) : before
    await this.#store.deleteBlobs(subject.id)
    if (!isClean) throw new DependencyFault('capsule bodies')
    return ok({})
  }
}
