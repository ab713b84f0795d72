import type { Caller } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type RegisterRequest, type Registration, registrationSchema } from '@svc/protocol/did/registration'
import type { InternalClient, InternalFault } from '@svc/service'

export type RegisterRefusal = { readonly reason: (typeof PASSED_ON)[number] | 'unavailable' }

/** Registers a DID for its owner: core stores the registration with the identity, in one idempotent write. */
export class RegistrationService {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  async register(
    caller: Caller,
    { did, ...registration }: RegisterRequest,
  ): Promise<Result<Registration, RegisterRefusal>> {
    if (did !== caller.did) return err({ reason: 'owner_mismatch' })
    const path = `/api/internal/registration/${did}`
    const kept = await this.#core.call({ method: 'PUT', path, body: registration }, registrationSchema)
    if (!kept.ok) return err({ reason: keptReason(kept.error) })
    // An answer about another DID does not count.
    return kept.value.did === did ? ok(kept.value) : err({ reason: 'unavailable' })
  }
}

/** Named refusals from core are passed on; anything else means that core is unavailable. */
function keptReason(failure: InternalFault): RegisterRefusal['reason'] {
  if (failure.reason === 'unavailable') return 'unavailable'
  return PASSED_ON.find((name) => name === failure.error) ?? 'unavailable'
}

const PASSED_ON = [
  'owner_mismatch',
  'invalid_signature',
  'key_agreement_stale',
  'key_agreement_limit',
  'statement_expired',
] as const
