import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { jcs } from '@svc/protocol/jcs'
import { OPERATOR_ACT_TOLERANCE_MS, type OperatorAct } from '@svc/protocol/operator'
import { err, ok, type Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type { GovernanceService } from '../governance/governance-service.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { LicenceStore } from '../licences/licence-store.ts'
import type { RotationService } from '../rotation/rotation-service.ts'
import type { OperatorStore } from './operator-store.ts'

/** Why an act that was signed well could not be done. */
export type ActRefusal = {
  readonly reason: 'not_found' | 'policy_founded' | 'duplicate_signer' | 'threshold_out_of_range'
}
export type OperatorRefusal = { readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'replay' } | ActRefusal

/** What acts are done to. */
export interface Acted {
  readonly identities: IdentityService
  readonly rotations: RotationService
  readonly governance: GovernanceService
  readonly licences: LicenceStore
}

/** Takes statements by the deployment's operator key, does what they say and keeps a record of each. */
export class OperatorService {
  readonly #publicKey: string
  readonly #store: OperatorStore
  readonly #acted: Acted

  constructor(publicKey: string, store: OperatorStore, acted: Acted) {
    this.#publicKey = publicKey
    this.#store = store
    this.#acted = acted
  }

  async act(
    act: OperatorAct,
    now: number,
  ): Promise<Result<{ type: string; nonce: string; recordedAt: number }, OperatorRefusal>> {
    if (this.#publicKey === '') return err({ reason: 'disabled' })
    if (!(await verifyStatement(act, bytesOf(this.#publicKey)))) return err({ reason: 'invalid_signature' })
    const { type, nonce, issuedAt } = act.statement
    if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })
    const signed = jcs(act.statement)
    const recorded = await this.#store.record({ nonce, type, signed, operator: userIdOfKey(this.#publicKey) }, now)
    if (recorded.done || recorded.signed !== signed) return err({ reason: 'replay' })
    const done = await this.#perform(act, now)
    if (!done.ok) return done
    await this.#store.markDone(nonce, now)
    return ok({ type, nonce, recordedAt: recorded.recordedAt })
  }

  /** Each may be done twice. */
  async #perform({ statement }: OperatorAct, now: number): Promise<Result<void, ActRefusal>> {
    switch (statement.type) {
      case 'svc/operator-chain-reindex/v1':
        return found(await this.#acted.identities.reindex(statement.did))
      case 'svc/operator-rotation-approve/v1': {
        const { did, rotationId, nonce } = statement
        return found(await this.#acted.rotations.approve(did, rotationId, userIdOfKey(this.#publicKey), nonce))
      }
      case 'svc/operator-governance-policy/v1':
        return this.#acted.governance.found(statement.policy, userIdOfKey(this.#publicKey), now)
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
