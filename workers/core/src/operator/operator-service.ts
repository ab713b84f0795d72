import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { jcs } from '@svc/protocol/jcs'
import { OPERATOR_ACT_TOLERANCE_MS, type OperatorAct } from '@svc/protocol/operator'
import { err, ok, type Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type { IdentityService } from '../identity/identity-service.ts'
import type { RotationService } from '../rotation/rotation-service.ts'
import type { OperatorStore } from './operator-store.ts'

export type OperatorRefusal = {
  readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'replay' | 'not_found'
}

/** Takes statements by the deployment's operator key, does what they say and keeps a record of each. */
export class OperatorService {
  readonly #publicKey: string
  readonly #store: OperatorStore
  readonly #identities: IdentityService
  readonly #rotations: RotationService

  constructor(publicKey: string, store: OperatorStore, identities: IdentityService, rotations: RotationService) {
    this.#publicKey = publicKey
    this.#store = store
    this.#identities = identities
    this.#rotations = rotations
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
    if (!(await this.#perform(act))) return err({ reason: 'not_found' })
    await this.#store.markDone(nonce, now)
    return ok({ type, nonce, recordedAt: recorded.recordedAt })
  }

  /** False where there is nothing that the act could be done to. Each may be done twice. */
  #perform({ statement }: OperatorAct): Promise<boolean> {
    switch (statement.type) {
      case 'svc/operator-chain-reindex/v1':
        return this.#identities.reindex(statement.did)
      case 'svc/operator-rotation-approve/v1': {
        const { did, rotationId, nonce } = statement
        return this.#rotations.approve(did, rotationId, userIdOfKey(this.#publicKey), nonce)
      }
    }
  }
}
