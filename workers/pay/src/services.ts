import type { NonceGuard } from '@svc/assertion/worker'
import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { InternalClient, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { type Config, payConfigSchema } from './env.ts'

export interface Services {
  readonly config: Config
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(payConfigSchema, env)
  // The class lives in provenance's script, where generated types do not follow it: pay and provenance share an
  // audience, so an assertion that is spent at one is spent at the other.
  const nonces = env.NONCES as unknown as DurableObjectNamespace<NonceGuard>
  const core = new InternalClient(env.CORE, config.SVC_INTERNAL_SECRET)
  return {
    config,
    limiter: limiterOf('pay', env),
    gate: new SiblingGate(core, new NonceGuardClient(nonces)),
    deps: { config },
  }
}
