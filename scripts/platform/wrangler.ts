import { createRequire } from 'node:module'
import type * as Wrangler from 'wrangler'

const load = createRequire(import.meta.url)

/**
 * Wrangler, loaded when something first needs it: that takes seconds, and a command that shows its help or refuses an
 * option has no use for it.
 */
export function wrangler(): typeof Wrangler {
  // What it prints of secrets is wrong here, where they are always injected.
  process.env['WRANGLER_LOG'] = 'none'
  process.env['WRANGLER_SEND_METRICS'] = 'false'
  process.env['CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV'] = 'false'
  return load('wrangler') as typeof Wrangler
}
