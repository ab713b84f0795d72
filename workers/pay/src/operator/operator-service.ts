import type { payOperatorActSchema } from '@svc/protocol/entitlements'
import { ok, type Result } from '@svc/protocol/result'
import type { OperatorActs, OperatorRefusal, TakenAct } from '@svc/service'
import type * as z from 'zod'
import type { EntitlementStore } from '../entitlements/entitlement-store.ts'

export type PayOperatorAct = z.output<typeof payOperatorActSchema>

/** What the operator’s act does at pay: one code for a tier, that may be issued twice. */
export class OperatorService {
  readonly #acts: OperatorActs
  readonly #grants: EntitlementStore

  constructor(acts: OperatorActs, grants: EntitlementStore) {
    this.#acts = acts
    this.#grants = grants
  }

  act(act: PayOperatorAct, now: number): Promise<Result<TakenAct, OperatorRefusal>> {
    const issue = async (statement: PayOperatorAct['statement']): Promise<Result<void, OperatorRefusal>> => {
      await this.#grants.issue(statement, now)
      return ok(undefined)
    }
    return this.#acts.take<PayOperatorAct['statement'], OperatorRefusal>(act, issue, now)
  }
}
