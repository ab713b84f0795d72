import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { CounterService, InternalClient, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { type Config, provenanceConfigSchema } from './env.ts'
import { checksOf } from './health/checks.ts'
import { HealthService } from './health/health-service.ts'
import { QuotaClient } from './quota/quota-client.ts'

export interface Services {
  readonly config: Config
  readonly health: HealthService
  readonly quota: QuotaClient
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(provenanceConfigSchema, env)
  const core = new InternalClient(env.CORE, config.SVC_INTERNAL_SECRET)
  const pay = new InternalClient(env.PAY, config.SVC_INTERNAL_SECRET)
  return {
    config,
    limiter: limiterOf('provenance', env),
    windows: new CounterService(env.COUNTERS),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    deps: {
      config,
      health: new HealthService(checksOf(env, { core, pay }), Date.now),
      quota: new QuotaClient(pay),
    },
  }
}
