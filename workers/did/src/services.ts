import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { InternalClient, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { type DidConfig, didConfigSchema } from './env.ts'
import { RegistryService } from './registry/registry-service.ts'
import { RegistryStore } from './registry/registry-store.ts'
import { ResolutionService } from './resolution/resolution-service.ts'
import { RotationService } from './rotation/rotation-service.ts'
import { RotationStore } from './rotation/rotation-store.ts'

export interface Services {
  readonly config: DidConfig
  readonly registry: RegistryService
  readonly resolution: ResolutionService
  readonly rotations: RotationService
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(didConfigSchema, env)
  const core = new InternalClient(env.CORE, config.SVC_INTERNAL_SECRET)
  const store = new RegistryStore(env.DB)
  return {
    config,
    limiter: limiterOf('did', env),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    deps: {
      config,
      registry: new RegistryService(store, core),
      resolution: new ResolutionService(store, core),
      rotations: new RotationService(core, new RotationStore(env.DB)),
    },
  }
}
