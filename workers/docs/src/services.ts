import { limiterOf, type Runtime, readConfig, StaticFiles } from '@svc/service'
import { type Config, configSchema } from './env.ts'

export interface Services {
  readonly config: Config
  readonly pages: StaticFiles
  /** In the site: its OpenAPI document is a file like the pages. */
  readonly description: StaticFiles
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const pages = new StaticFiles(env.PAGES, 'pages')
  return {
    config,
    limiter: limiterOf('docs', env),
    deps: { config, pages, description: pages },
    refusalPage: async (status) => (await pages.read(status === 405 ? '/405.html' : '/404.html')).body,
  }
}
