import type { Caller } from '@svc/assertion'
import type { ErrorName } from '@svc/protocol/errors'
import { err, ok, type Result } from '@svc/protocol/result'
import { type RotationRecord, rotationRecordSchema, type SignedRotationRequest } from '@svc/protocol/rotation'
import type { InternalClient, InternalFailure } from '@svc/service'
import type { RotationStore } from './rotation-store.ts'

export type RotationRefusal = { readonly reason: (typeof PASSED_ON)[number] | 'rotation_not_active' | 'unavailable' }

/** Takes rotation requests to core, which keeps and decides them, and notes what became active. */
export class RotationService {
  readonly #core: InternalClient
  readonly #store: RotationStore

  constructor(core: InternalClient, store: RotationStore) {
    this.#core = core
    this.#store = store
  }

  async request(caller: Caller, signed: SignedRotationRequest): Promise<Result<RotationRecord, RotationRefusal>> {
    if (signed.statement.did !== caller.did) return err({ reason: 'owner_mismatch' })
    return this.#answer(
      await this.#core.call(
        { method: 'POST', path: `/api/internal/rotation/${caller.did}`, body: signed },
        rotationRecordSchema,
      ),
    )
  }

  async newest({ did }: Caller): Promise<Result<RotationRecord, RotationRefusal>> {
    return this.#answer(
      await this.#core.call({ method: 'GET', path: `/api/internal/rotation/${did}` }, rotationRecordSchema),
    )
  }

  /** Core says whether it is active; what the caller says of it is not taken on trust. */
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

  #answer(answer: Result<RotationRecord, InternalFailure>): Result<RotationRecord, RotationRefusal> {
    if (answer.ok) return answer
    const { error } = answer
    if (error.reason === 'unavailable') return err({ reason: 'unavailable' })
    return err({ reason: PASSED_ON.find((name) => name === error.error) ?? 'unavailable' })
  }
}

/** Refusals that core names are passed on; anything else means that core cannot be relied on now. */
export const PASSED_ON = [
  'not_found',
  'owner_mismatch',
  'invalid_signature',
  'stale_epoch',
  'key_in_use',
  'key_superseded',
  'rotation_pending',
  'rotation_v2_disabled',
] as const satisfies readonly ErrorName[]
