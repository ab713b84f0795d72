import { createRequire } from 'node:module'
import type * as Wrangler from 'wrangler'

const load = createRequire(import.meta.url)

/**
 * Wrangler, loaded when something first needs it: that takes seconds, and a command that shows its help or refuses an
 * option has no use for it.
 */
export function wrangler(): typeof Wrangler {
  return load('wrangler') as typeof Wrangler
}
