// Fails if a Worker's env.d.ts does not match its wrangler.jsonc; --write updates all of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { experimental_generateTypes } from 'wrangler'

// Local secrets must not affect the declarations.
process.env['CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV'] = 'false'
process.env['WRANGLER_LOG'] = 'none'

const write = process.argv.includes('--write')
for (const name of WORKER_NAMES) {
  // The generator writes its options into the header. In the Worker's folder they are the same on every machine.
  process.chdir(join(ROOT, 'workers', name))
  const { content } = await experimental_generateTypes({ includeRuntime: false, strictVars: false, path: 'env.d.ts' })
  if (existsSync('env.d.ts') && readFileSync('env.d.ts', 'utf8') === content) continue
  if (write) writeFileSync('env.d.ts', content)
  else {
    console.error(`workers/${name}/env.d.ts is stale: run scripts/test --fix`)
    process.exitCode = 1
  }
}
