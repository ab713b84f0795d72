import { limiterOf, type Runtime, readConfig } from '@svc/service'
import { type Config, configSchema } from './env.ts'
import { PageStore } from './pages/store.ts'

export interface Services {
  readonly config: Config
  readonly pages: PageStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const pages = new PageStore(env.PAGES)
  return {
    config,
    limiter: limiterOf('docs', env),
    deps: { config, pages },
    refusalPage: async (status) => (await pages.read(status === 405 ? '/405.html' : '/404.html')).body,
  }
}
