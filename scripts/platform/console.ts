/**
 * Builds the console (`packages/console`): static files, the same for every deployment, and beside them `config.json` and
 * `_headers` with the origins of one.
 *
 * @module
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Configuration, deploymentFiles, SIGN_IN_PAGE } from '@svc/console/deployment-files'
import { listedOf } from '@svc/console/listed-operations'
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
  copyFileSync(join(target, 'index.html'), join(target, SIGN_IN_PAGE))
  const documentOf = (worker: string) => join(ROOT, `workers/${worker}/openapi.json`)
  const operations = Object.keys(configuration.services).map((worker) => {
    const document: unknown = JSON.parse(readFileSync(documentOf(worker), 'utf8'))
    return [worker, listedOf(document).map(([listed]) => listed)] as const
  })
  writeFileSync(join(target, 'operations.json'), JSON.stringify(Object.fromEntries(operations)))
  // These two answer no page of another origin there, so the request explorer has their documents here.
  for (const worker of ['docs', 'pay']) {
    copyFileSync(documentOf(worker), join(target, `${worker}-openapi.json`))
  }
  for (const [name, text] of Object.entries(deploymentFiles(configuration))) writeFileSync(join(target, name), text)
}
