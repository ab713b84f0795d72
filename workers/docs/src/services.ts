import { limiterOf, type Runtime, readConfig, type ServiceConfig, serviceConfigSchema } from '@svc/service'
import { PageStore } from './pages/page-store.ts'

export interface Services {
  readonly config: ServiceConfig
  readonly pages: PageStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(serviceConfigSchema, env)
  return { config, limiter: limiterOf('docs', env), deps: { config, pages: new PageStore(env.PAGES) } }
}
