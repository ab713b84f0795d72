import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { jcs } from '@svc/protocol/jcs'
import { type DidOperatorAct, OPERATOR_ACT_TOLERANCE_MS } from '@svc/protocol/operator'
import { err, ok, type Result } from '@svc/protocol/result'
import { verifyStatement } from '@svc/protocol/statement'
import type { LicenceStore } from '../organizations/licence-store.ts'

export type OperatorRefusal = {
  readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'replay'
}

/** Takes statements by the deployment's operator key; each is recorded together with what it does. */
export class OperatorService {
  readonly #publicKey: string
  readonly #licences: LicenceStore

  constructor(publicKey: string, licences: LicenceStore) {
    this.#publicKey = publicKey
    this.#licences = licences
  }

  async act(
    act: DidOperatorAct,
    now: number,
  ): Promise<Result<{ type: string; nonce: string; recordedAt: number }, OperatorRefusal>> {
    if (this.#publicKey === '') return err({ reason: 'disabled' })
    if (!(await verifyStatement(act, bytesOf(this.#publicKey)))) return err({ reason: 'invalid_signature' })
    const { statement } = act
    const { type, nonce, issuedAt } = statement
    if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })
    const record = { signed: jcs(statement), operator: userIdOfKey(this.#publicKey) }
    const isDone = await this.#licences.act(statement, record, now)
    return isDone ? ok({ type, nonce, recordedAt: now }) : err({ reason: 'replay' })
  }
}
