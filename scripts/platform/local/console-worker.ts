import type { V4WorkerOptions } from 'miniflare'
import { unstable_readConfig } from 'wrangler'
import { CONSOLE_CONFIG } from '../workspace.ts'

/** Cloudflare serves static files without a script. The local runtime needs one on a port of its own. */
const SCRIPT = 'export default { fetch: (request, env) => env.FILES.fetch(request) }'

/** The part of Wrangler's configuration that is used; its own type comes from a package that it does not depend on. */
interface ConsoleConfig {
  readonly compatibility_date: string
  readonly assets: { readonly html_handling: 'none'; readonly not_found_handling: 'single-page-application' }
}

/** The console in the local runtime, with the files and headers as they are deployed. */
export function consoleWorker(directory: string, host: string, port: number): V4WorkerOptions {
  const { assets } = unstable_readConfig({ config: CONSOLE_CONFIG }) as ConsoleConfig
  return {
    name: 'svc-console',
    modules: [{ type: 'ESModule', path: 'index.js', contents: SCRIPT }],
    compatibilityDate: '2026-10-30',
    assets: {
      directory,
      binding: 'FILES',
      routerConfig: { has_user_worker: true },
      assetConfig: { html_handling: assets.html_handling, not_found_handling: assets.not_found_handling },
    },
    unsafeDirectSockets: [{ host, port }],
  }
}
