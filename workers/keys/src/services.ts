import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { InternalClient, internalSecretsOf, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { type Config, keysConfigSchema } from './env.ts'

export interface Services {
  readonly config: Config
  /** Which bindings this deployment has. */
  readonly bindings: Readonly<Record<string, boolean>>
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(keysConfigSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  return {
    config,
    limiter: limiterOf('keys', env),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    deps: {
      config,
      bindings: { core: 'CORE' in env, nonces: 'NONCES' in env, internalSecret: Boolean(config.SVC_INTERNAL_SECRET) },
    },
  }
}
