import type { DidOperatorAct } from '@svc/protocol/operator'
import { ok, type Result } from '@svc/protocol/result'
import type { OperatorActs, OperatorRefusal, TakenAct } from '@svc/service'
import type { LicenceStore } from '../organizations/licence-store.ts'

/** What the operator’s act does here: the licence of one organization, which may be set twice. */
export class OperatorService {
  readonly #acts: OperatorActs
  readonly #licences: LicenceStore

  constructor(acts: OperatorActs, licences: LicenceStore) {
    this.#acts = acts
    this.#licences = licences
  }

  act(act: DidOperatorAct, now: number): Promise<Result<TakenAct, OperatorRefusal>> {
    const license = async (statement: DidOperatorAct['statement']): Promise<Result<void, OperatorRefusal>> => {
      await this.#licences.set(statement)
      return ok(undefined)
    }
    return this.#acts.take<DidOperatorAct['statement'], OperatorRefusal>(act, license, now)
  }
}
