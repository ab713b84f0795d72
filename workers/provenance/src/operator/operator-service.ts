import type { ReindexAct, Reindexed } from '@svc/protocol/reindex'
import { err, ok, type Result } from '@svc/protocol/result'
import type { OperatorActs, OperatorRefusal, TakenAct } from '@svc/service'
import type { VectorSetService } from '../vectors/vector-set-service.ts'

export type ReindexRefusal = { readonly reason: 'not_provisioned' }

/** What the operator’s act does at provenance: one page of an index made again, which may be done twice. */
export class OperatorService {
  readonly #acts: OperatorActs
  readonly #sets: VectorSetService

  constructor(acts: OperatorActs, sets: VectorSetService) {
    this.#acts = acts
    this.#sets = sets
  }

  async act(act: ReindexAct, now: number): Promise<Result<TakenAct & Reindexed, OperatorRefusal | ReindexRefusal>> {
    let done: Reindexed | null = null
    const taken = await this.#acts.take<ReindexAct['statement'], ReindexRefusal>(
      act,
      async ({ service, after }) => {
        done = await this.#sets.reindex(service, after, now)
        return done ? ok(undefined) : err({ reason: 'not_provisioned' })
      },
      now,
    )
    if (!taken.ok) return taken
    if (!done) throw new Error('an act that was taken was not done')
    return ok({ ...taken.value, ...(done as Reindexed) })
  }
}
