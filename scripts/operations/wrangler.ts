import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'

const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
// The banner asks a registry for newer versions.
process.env['WRANGLER_HIDE_BANNER'] = 'true'
process.env['WRANGLER_SEND_METRICS'] = 'false'

/** Runs Wrangler. A proxy or another API URL comes from the environment, as it does here. */
export async function wrangler(args: readonly string[]): Promise<string> {
  const { code, output } = await capture(process.execPath, ['--no-warnings', WRANGLER, ...args])
  if (code !== 0) throw new SetupError(`wrangler ${args.slice(0, 2).join(' ')} failed.\n${output}`)
  return output
}
