import { build } from 'esbuild'
import type { V4WorkerOptions } from 'miniflare'
import { CONSOLE_CONFIG } from '../workspace.ts'
import { wrangler } from '../wrangler.ts'

/** The part of Wrangler's configuration that is used; its own type comes from a package that it does not depend on. */
interface ConsoleConfig {
  readonly main: string
  readonly compatibility_date: string
  readonly assets: { readonly binding: string; readonly html_handling: 'none'; readonly not_found_handling: 'none' }
}

/** The console in the local runtime, with the script, the files and the headers as they are deployed. */
export async function consoleWorker(directory: string, host: string, port: number): Promise<V4WorkerOptions> {
  const config = wrangler().unstable_readConfig({ config: CONSOLE_CONFIG }) as unknown as ConsoleConfig
  const { main, compatibility_date: compatibilityDate, assets } = config
  const { outputFiles } = await build({
    entryPoints: [main],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    logLevel: 'silent',
  })
  return {
    name: 'svc-console',
    modules: [{ type: 'ESModule', path: 'index.js', contents: outputFiles[0]?.text ?? '' }],
    compatibilityDate,
    assets: {
      directory,
      binding: assets.binding,
      routerConfig: { has_user_worker: true },
      assetConfig: { html_handling: assets.html_handling, not_found_handling: assets.not_found_handling },
    },
    unsafeDirectSockets: [{ host, port }],
  }
}
