import type { Caller } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type RotationRecord, rotationRecordSchema, type SignedRotationRequest } from '@svc/protocol/chain/rotation'
import type { ErrorName } from '@svc/protocol/http/errors'
import type { InternalClient, InternalFault } from '@svc/service'
import type { RotationStore } from './store.ts'

export type RotationRefusal = { readonly reason: (typeof PASSED_ON)[number] | 'rotation_not_active' | 'unavailable' }

/** Forwards rotation requests to core, which stores and decides them, and records activations. */
export class RotationService {
  readonly #core: InternalClient
  readonly #store: RotationStore

  constructor(core: InternalClient, store: RotationStore) {
    this.#core = core
    this.#store = store
  }

  async request(caller: Caller, signed: SignedRotationRequest): Promise<Result<RotationRecord, RotationRefusal>> {
    return this.#answer(
      await this.#core.call(
        { method: 'POST', path: `/api/internal/rotation/${signed.statement.did}?caller=${caller.did}`, body: signed },
        rotationRecordSchema,
      ),
    )
  }

  async newest({ did }: Caller): Promise<Result<RotationRecord, RotationRefusal>> {
    return this.#answer(
      await this.#core.call({ method: 'GET', path: `/api/internal/rotation/${did}` }, rotationRecordSchema),
    )
  }

  /** Core decides whether it is active; the caller's claim is not trusted. */
  async activated(
    caller: Caller,
    rotationId: string,
    now: number,
  ): Promise<Result<{ did: string; rotationId: string; epoch: number; recordedAt: number }, RotationRefusal>> {
    const { did } = caller
    const path = `/api/internal/rotation/${did}?rotationId=${rotationId}`
    const found = this.#answer(await this.#core.call({ method: 'GET', path }, rotationRecordSchema))
    if (!found.ok) return found.error.reason === 'not_found' ? err({ reason: 'rotation_not_active' }) : found
    const { epoch, activatedAt } = found.value
    if (found.value.rotationId !== rotationId || activatedAt === null) return err({ reason: 'rotation_not_active' })
    const recordedAt = await this.#store.record({ did, epoch, rotationId, activatedAt }, now)
    return ok({ did, rotationId, epoch, recordedAt })
  }

  #answer(answer: Result<RotationRecord, InternalFault>): Result<RotationRecord, RotationRefusal> {
    if (answer.ok) return answer
    const { error } = answer
    if (error.reason === 'unavailable') return err({ reason: 'unavailable' })
    return err({ reason: PASSED_ON.find((name) => name === error.error) ?? 'unavailable' })
  }
}

/** Named refusals from core are passed on; anything else means that core is unavailable. */
export const PASSED_ON = [
  'not_found',
  'owner_mismatch',
  'invalid_signature',
  'stale_epoch',
  'key_in_use',
  'key_superseded',
  'key_not_committed',
  'rotation_pending',
  'rotation_disputed',
  'rotation_limit',
  'rotation_v2_disabled',
] as const satisfies readonly ErrorName[]
