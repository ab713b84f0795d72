import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import {
  CounterService,
  InternalClient,
  internalGate,
  internalSecretsOf,
  limiterOf,
  type Runtime,
  readConfig,
  SiblingGate,
} from '@svc/service'
import { ConsentAuthority } from './consent-authority/consent-authority-service.ts'
import { type Config, provenanceConfigSchema } from './env.ts'
import { checksOf } from './health/checks.ts'
import { HealthService } from './health/health-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { QuotaClient } from './quota/quota-client.ts'

export interface Services {
  readonly config: Config
  readonly health: HealthService
  readonly consentAuthority: ConsentAuthority
  readonly quota: QuotaClient
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(provenanceConfigSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const pay = new InternalClient(env.PAY, internalSecretsOf(config))
  return {
    config,
    limiter: limiterOf('provenance', env),
    windows: new CounterService(env.COUNTERS),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    internal: internalGate(internalSecretsOf(config), INTERNAL_ROUTES),
    deps: {
      config,
      consentAuthority: new ConsentAuthority(core),
      health: new HealthService(checksOf(env, { core, pay }), Date.now),
      quota: new QuotaClient(pay),
    },
  }
}
