import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { internalHealthSchema } from '@svc/protocol/internal'
import { InternalClient, internalGate, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { ConsentAuthority } from './consent-authority/consent-authority-service.ts'
import { type Config, provenanceConfigSchema } from './env.ts'
import { HealthService } from './health/health-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'

export interface Services {
  readonly config: Config
  readonly health: HealthService
  readonly consentAuthority: ConsentAuthority
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(provenanceConfigSchema, env)
  const core = new InternalClient(env.CORE, config.SVC_INTERNAL_SECRET)
  return {
    config,
    limiter: limiterOf('provenance', env),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    internal: internalGate(config.SVC_INTERNAL_SECRET, INTERNAL_ROUTES),
    deps: {
      config,
      consentAuthority: new ConsentAuthority(core),
      health: new HealthService(
        {
          core: async () => (await core.call({ method: 'GET', path: '/api/internal/health' }, internalHealthSchema)).ok,
        },
        Date.now,
      ),
    },
  }
}
