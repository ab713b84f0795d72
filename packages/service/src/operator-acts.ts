import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { type Json, jcs } from '@svc/protocol/jcs'
import { OPERATOR_ACT_TOLERANCE_MS } from '@svc/protocol/operator'
import { err, ok, type Result } from '@svc/protocol/result'
import { type Signed, verifyStatement } from '@svc/protocol/statement'
import { ApiError } from './api-error.ts'
import type { OperatorStore } from './operator-store.ts'

/** Why an act is not taken, whatever it would do. */
export type OperatorRefusal = { readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'replay' }

export interface TakenAct {
  readonly type: string
  readonly nonce: string
  readonly recordedAt: number
}

interface ActStatement {
  readonly type: string
  readonly nonce: string
  readonly issuedAt: number
}

/** Takes statements by the deployment's operator key, has done what they say and keeps a record of each. */
export class OperatorActs {
  readonly #publicKey: string
  readonly #store: OperatorStore

  constructor(publicKey: string, store: OperatorStore) {
    this.#publicKey = publicKey
    this.#store = store
  }

  /** The `userId` of the operator key. */
  get operator(): string {
    return userIdOfKey(this.#publicKey)
  }

  /** `perform` may be run twice for one act: after a crash the operator sends it again. */
  async take<S extends ActStatement, R>(
    act: Signed<S>,
    perform: (statement: S) => Promise<Result<void, R>>,
    now: number,
  ): Promise<Result<TakenAct, OperatorRefusal | R>> {
    if (this.#publicKey === '') return err({ reason: 'disabled' })
    if (!(await verifyStatement(act, bytesOf(this.#publicKey)))) return err({ reason: 'invalid_signature' })
    const { type, nonce, issuedAt } = act.statement
    if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })
    const signed = jcs(act.statement as unknown as Json)
    const recorded = await this.#store.record({ nonce, type, signed, operator: this.operator }, now)
    if (recorded.done || recorded.signed !== signed) return err({ reason: 'replay' })
    const done = await perform(act.statement)
    if (!done.ok) return done
    await this.#store.markDone(nonce, now)
    return ok({ type, nonce, recordedAt: recorded.recordedAt })
  }
}

/** The public answer to an act that is not taken. */
export function operatorRefusalError({ reason }: OperatorRefusal, now: number): ApiError {
  switch (reason) {
    case 'disabled':
      return new ApiError('operator_acts_disabled')
    case 'invalid_signature':
      return new ApiError('invalid_signature')
    case 'expired':
      return new ApiError('statement_expired', { serverTime: now })
    case 'replay':
      return new ApiError('statement_replay')
  }
}

/** What a route of operator acts may answer besides what its acts may. */
export const OPERATOR_ERRORS = [
  'operator_acts_disabled',
  'invalid_signature',
  'statement_expired',
  'statement_replay',
  'dependency_unavailable',
] as const
