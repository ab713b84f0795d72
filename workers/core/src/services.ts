import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { Result } from '@svc/protocol/result'
import { type Gate, internalGate, limiterOf, type Runtime, readConfig } from '@svc/service'
import { ChainService } from './chain/chain-service.ts'
import { PayloadStore } from './chain/payload-store.ts'
import { type CoreConfig, coreConfigSchema } from './env.ts'
import { IdentityService } from './identity/identity-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { OperatorService } from './operator/operator-service.ts'
import { OperatorStore } from './operator/operator-store.ts'

/** Document 1 section 8: two minutes of clock skew on core. */
const CORE_SKEW_MS = 120_000

export interface Services {
  readonly config: CoreConfig
  readonly identities: IdentityService
  readonly chain: ChainService
  readonly operator: OperatorService
}

/** Core spends an assertion in the object of the identity itself. */
class CoreGate implements Gate {
  readonly skewMs = CORE_SKEW_MS
  readonly #identities: IdentityService

  constructor(identities: IdentityService) {
    this.#identities = identities
  }

  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    return this.#identities.spend(assertion)
  }
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(coreConfigSchema, env)
  const identities = new IdentityService(env.IDENTITIES)
  return {
    config,
    limiter: limiterOf('core', env),
    gate: new CoreGate(identities),
    internal: internalGate(config.SVC_INTERNAL_SECRET, INTERNAL_ROUTES),
    deps: {
      config,
      identities,
      chain: new ChainService(identities, new PayloadStore(env.BLOBS), config.CHAIN_V4 === 'on'),
      operator: new OperatorService(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB), identities),
    },
  }
}
