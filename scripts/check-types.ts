// Fails when a Worker's env.d.ts is not what its wrangler.jsonc declares; --write brings all of them up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { experimental_generateTypes } from 'wrangler'
import { ROOT, WORKER_NAMES } from './lib/workspace.ts'

// Local secrets must not decide what is declared.
process.env['CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV'] = 'false'
process.env['WRANGLER_LOG'] = 'none'

const write = process.argv.includes('--write')
for (const name of WORKER_NAMES) {
  // The generator writes its options into the header: in the Worker's own folder they are the same on every machine.
  process.chdir(join(ROOT, 'workers', name))
  const { content } = await experimental_generateTypes({ includeRuntime: false, strictVars: false, path: 'env.d.ts' })
  if (existsSync('env.d.ts') && readFileSync('env.d.ts', 'utf8') === content) continue
  if (write) writeFileSync('env.d.ts', content)
  else {
    console.error(`workers/${name}/env.d.ts is stale: run scripts/test --fix`)
    process.exitCode = 1
  }
}
