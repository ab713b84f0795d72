import { join } from 'node:path'
import { capture } from '../lib/step-runner.ts'
import { ROOT, SetupError } from '../lib/workspace.ts'

/** HTML of everything that the published packages export, from their docstrings. A broken link is a fault. */
export async function writeApiDocs(folder: string): Promise<void> {
  const typedoc = join(ROOT, 'scripts/api-docs/node_modules/typedoc/bin/typedoc')
  const options = join(ROOT, 'scripts/api-docs/typedoc.json')
  const { code, output } = await capture(process.execPath, [typedoc, '--options', options, '--out', folder])
  if (code !== 0) throw new SetupError(`The API docs have faults.\n${output}`)
}
