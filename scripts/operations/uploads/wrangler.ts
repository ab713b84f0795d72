import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import type { CloudflareApi } from '../cloudflare-api.ts'

const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
// The banner asks a registry for newer versions.
process.env['WRANGLER_HIDE_BANNER'] = 'true'
process.env['WRANGLER_SEND_METRICS'] = 'false'

/**
 * Runs Wrangler at the account that the API is about, whatever the environment says; null for what reaches no account. A
 * proxy comes from the environment.
 */
export async function wrangler(args: readonly string[], api: CloudflareApi | null): Promise<string> {
  const { code, output } = await capture(process.execPath, ['--no-warnings', WRANGLER, ...args], api?.environment)
  if (code !== 0) throw new SetupError(`wrangler ${args.slice(0, 2).join(' ')} failed.\n${output}`)
  return output
}
