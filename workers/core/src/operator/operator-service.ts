import type { OperatorAct } from '@svc/protocol/operator'
import { err, ok, type Result } from '@svc/protocol/result'
import type { OperatorActs, OperatorRefusal, TakenAct } from '@svc/service'
import type { GovernanceService } from '../governance/governance-service.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { LicenceStore } from '../licences/licence-store.ts'
import type { RotationService } from '../rotation/rotation-service.ts'

/** Why an act that was signed well could not be done. */
export type ActRefusal = {
  readonly reason: 'not_found' | 'policy_founded' | 'duplicate_signer' | 'threshold_out_of_range'
}

/** What acts are done to. */
export interface Acted {
  readonly identities: IdentityService
  readonly rotations: RotationService
  readonly governance: GovernanceService
  readonly licences: LicenceStore
}

/** What each act of the operator does at core. */
export class OperatorService {
  readonly #acts: OperatorActs
  readonly #acted: Acted

  constructor(acts: OperatorActs, acted: Acted) {
    this.#acts = acts
    this.#acted = acted
  }

  act(act: OperatorAct, now: number): Promise<Result<TakenAct, OperatorRefusal | ActRefusal>> {
    return this.#acts.take<OperatorAct['statement'], ActRefusal>(act, (statement) => this.#perform(statement, now), now)
  }

  /** Each may be done twice. */
  async #perform(statement: OperatorAct['statement'], now: number): Promise<Result<void, ActRefusal>> {
    const { operator } = this.#acts
    switch (statement.type) {
      case 'svc/operator-chain-reindex/v1':
        return found(await this.#acted.identities.reindex(statement.did))
      case 'svc/operator-rotation-approve/v1': {
        const { did, rotationId, nonce } = statement
        return found(await this.#acted.rotations.approve(did, rotationId, operator, nonce))
      }
      case 'svc/operator-governance-policy/v1':
        return this.#acted.governance.found(statement.policy, operator, now)
      case 'svc/operator-activation-code/v1':
        await this.#acted.licences.issue(statement, now)
        return ok(undefined)
    }
  }
}

/** Whether there was anything that the act could be done to. */
function found(isDone: boolean): Result<void, ActRefusal> {
  return isDone ? ok(undefined) : err({ reason: 'not_found' })
}
