/**
 * Builds the console (`packages/console`): static files, the same for every deployment, and beside them `config.json` and
 * `_headers` with the origins of one.
 *
 * @module
 */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Configuration, deploymentFiles } from '@svc/console/deployment-files'
import { CONSOLE_FOLDER, ROOT } from './workspace.ts'

export async function buildConsole(target: string, configuration: Configuration): Promise<void> {
  // Loaded only here: it takes a moment, and not everything that knows this file builds.
  const { build } = await import('vite')
  await build({
    configFile: join(CONSOLE_FOLDER, 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'error',
    build: { outDir: target, emptyOutDir: true },
  })
  // These two answer no page of another origin there, so the request explorer has their documents here.
  for (const worker of ['docs', 'pay']) {
    copyFileSync(join(ROOT, `workers/${worker}/openapi.json`), join(target, `${worker}-openapi.json`))
  }
  for (const [name, text] of Object.entries(deploymentFiles(configuration))) writeFileSync(join(target, name), text)
}
