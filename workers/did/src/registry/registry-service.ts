import type { Caller } from '@svc/assertion'
import type { registerRequestSchema } from '@svc/protocol/did'
import { storedSchema } from '@svc/protocol/internal'
import { err, ok, type Result } from '@svc/protocol/result'
import type { InternalClient, InternalFailure } from '@svc/service'
import type * as z from 'zod'
import type { Registration, RegistryStore } from './registry-store.ts'

export type RegisterRefusal = {
  readonly reason: (typeof PASSED_ON)[number] | 'scope_conflict' | 'unavailable'
}

/** Registers a DID for its owner. The statement goes to core first: both writes may be repeated. */
export class RegistryService {
  readonly #store: RegistryStore
  readonly #core: InternalClient

  constructor(store: RegistryStore, core: InternalClient) {
    this.#store = store
    this.#core = core
  }

  async register(
    caller: Caller,
    request: z.output<typeof registerRequestSchema>,
    now: number,
  ): Promise<Result<Registration, RegisterRefusal>> {
    const { did, keyAgreement, services } = request
    if (did !== caller.did) return err({ reason: 'owner_mismatch' })
    if (keyAgreement) {
      const kept = await this.#core.call(
        { method: 'PUT', path: `/api/internal/key-agreement/${did}`, body: keyAgreement },
        storedSchema,
      )
      if (!kept.ok) return err({ reason: keptReason(kept.error) })
    }
    const registration = await this.#store.put(did, caller.scope, services, now)
    return registration ? ok(registration) : err({ reason: 'scope_conflict' })
  }
}

/** Refusals that core names are passed on; anything else means that core cannot be relied on now. */
function keptReason(failure: InternalFailure): RegisterRefusal['reason'] {
  if (failure.reason === 'unavailable') return 'unavailable'
  return PASSED_ON.find((name) => name === failure.error) ?? 'unavailable'
}

const PASSED_ON = ['owner_mismatch', 'invalid_signature', 'key_agreement_stale', 'statement_expired'] as const
