import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'

/** Writes HTML for everything that the published packages export, from their docstrings. A broken link is an error. */
export async function writeApiDocs(folder: string): Promise<void> {
  const typedoc = join(ROOT, 'scripts/release/api-docs/node_modules/typedoc/bin/typedoc')
  const options = join(ROOT, 'scripts/release/api-docs/typedoc.json')
  const { code, output } = await capture(process.execPath, [typedoc, '--options', options, '--out', folder])
  if (code !== 0) throw new SetupError(`The API docs have errors.\n${output}`)
}
