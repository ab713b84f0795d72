import { limiterOf, type Runtime, readConfig, type ServiceConfig, serviceConfigSchema } from '@svc/service'

export interface Services {
  readonly config: ServiceConfig
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(serviceConfigSchema, env)
  return { config, limiter: limiterOf('auth', env), deps: { config } }
}
