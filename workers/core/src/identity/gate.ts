import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { Result } from '@svc/protocol/base/result'
import type { Gate } from '@svc/service'
import { CORE_SKEW_MS } from '../env.ts'
import type { IdentityService } from './service.ts'

/** Core spends an assertion in the object of its identity, which knows the current keys and devices. */
export class CoreGate implements Gate {
  readonly skewMs = CORE_SKEW_MS
  readonly acceptsDevices: boolean
  readonly #identities: IdentityService

  constructor(identities: IdentityService, acceptsDevices: boolean) {
    this.#identities = identities
    this.acceptsDevices = acceptsDevices
  }

  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    return this.#identities.spend(assertion)
  }
}
