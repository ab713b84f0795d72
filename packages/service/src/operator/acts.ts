import { bytesOf } from '@svc/protocol/base/base64url'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { type Json, jcs } from '@svc/protocol/base/jcs'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type Signed, verifyStatement } from '@svc/protocol/base/statement'
import { OPERATOR_ACT_TOLERANCE_MS } from '@svc/protocol/operator/dates'
import type { OperatorStore } from './store.ts'

/** Why an act is rejected, whatever it would do. */
export type OperatorRefusal = { readonly reason: 'disabled' | 'invalid_signature' | 'expired' | 'replay' }

export interface TakenAct {
  readonly type: string
  readonly nonce: string
  readonly recordedAt: number
}

export interface ActStatement {
  readonly type: string
  readonly nonce: string
  readonly issuedAt: number
}

/** Who signed an act, and the signature, for performers that keep it as evidence. */
export interface ActSigner {
  /** The userId of the operator key. */
  readonly operator: string
  readonly signatureB64u: string
}

/**
 * What a signed act does at one Worker. After a crash the operator sends the act again, so carrying it out must be
 * idempotent.
 */
export type ActPerformer<S, R = never, D extends object = object> = (
  statement: S,
  now: number,
  by: ActSigner,
) => Promise<Result<D, R>>

/** Accepts statements by the deployment's operator key, carries them out and records each one. */
export class OperatorActs<S extends ActStatement, R = never, D extends object = object> {
  readonly #publicKey: string
  readonly #realms: Realms
  readonly #store: OperatorStore
  readonly #perform: ActPerformer<S, R, D>

  constructor(
    { OPERATOR_PUBLIC_KEY, REALMS }: { readonly OPERATOR_PUBLIC_KEY: string; readonly REALMS: Realms },
    store: OperatorStore,
    perform: ActPerformer<S, R, D>,
  ) {
    this.#publicKey = OPERATOR_PUBLIC_KEY
    this.#realms = REALMS
    this.#store = store
    this.#perform = perform
  }

  async take(act: Signed<S>, now: number): Promise<Result<TakenAct & D, OperatorRefusal | R>> {
    if (this.#publicKey === '') return err({ reason: 'disabled' })
    const isSigned = await verifyStatement(act, bytesOf(this.#publicKey), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const { type, nonce, issuedAt } = act.statement
    if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })
    const signed = jcs(act.statement as unknown as Json)
    const operator = userIdOfKey(this.#publicKey)
    const recorded = await this.#store.record({ nonce, type, signed, operator, issuedAt }, now)
    if (!recorded) return err({ reason: 'expired' })
    if (recorded.done || recorded.signed !== signed) return err({ reason: 'replay' })
    const done = await this.#perform(act.statement, now, { operator, signatureB64u: act.signatureB64u })
    if (!done.ok) return done
    await this.#store.markDone(nonce, now)
    return ok({ ...done.value, type, nonce, recordedAt: recorded.recordedAt })
  }
}
