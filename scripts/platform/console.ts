/**
 * Builds the console (`packages/console`): static files, the same for every deployment, and beside them `config.json` and
 * `_headers` with the origins of one.
 *
 * @module
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Configuration, deploymentFiles, SIGN_IN_PAGE } from '@svc/console/deployment-files'
import { listedOf } from '@svc/console/listed-operations'
import { capture } from './command.ts'
import { CONSOLE_FOLDER, ROOT } from './workspace.ts'

const VITE = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')

export async function buildConsole(target: string, configuration: Configuration): Promise<void> {
  await buildFiles(target)
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

/**
 * Vite takes the kind of a build from NODE_ENV, whatever its mode is: with that of a test, or of an operator's shell, the
 * files would be those of a development build, which are larger and name the source files of this machine.
 */
async function buildFiles(target: string): Promise<void> {
  const config = join(CONSOLE_FOLDER, 'vite.config.ts')
  const options = ['--config', config, '--configLoader', 'native', '--logLevel', 'error']
  const args = [VITE, 'build', ...options, '--outDir', target, '--emptyOutDir']
  const { code, output } = await capture(process.execPath, args, { NODE_ENV: 'production' })
  if (code !== 0) throw new Error(`The console could not be built:\n${output}`)
}
