import { limiterOf, type Runtime, readConfig, type ServiceConfig, serviceConfigSchema } from '@svc/service'
import { PageStore } from './pages/page-store.ts'

export interface Services {
  readonly config: ServiceConfig
  readonly pages: PageStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(serviceConfigSchema, env)
  const pages = new PageStore(env.PAGES)
  return {
    config,
    limiter: limiterOf('docs', env),
    deps: { config, pages },
    refusalPage: async (status) => (await pages.read(status === 405 ? '/405.html' : '/404.html')).body,
  }
}
