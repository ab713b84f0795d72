// Fails when a Worker declares a limit that no rate-limit binding counts, or binds one that nothing declares.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { unstable_readConfig } from 'wrangler'
import { type LimitBinding, type LimitedOperation, limitFaults, usesOf } from './limits.ts'

interface App {
  readonly service: { readonly routes: readonly { readonly operation: LimitedOperation }[] }
}

for (const name of WORKER_NAMES) {
  const path = `workers/${name}/wrangler.jsonc`
  const { service } = (await import(pathToFileURL(join(ROOT, 'workers', name, 'src/app.ts')).href)) as App
  const { ratelimits } = unstable_readConfig({ config: join(ROOT, path) }) as { ratelimits: LimitBinding[] }
  const operations = service.routes.map(({ operation }) => operation)
  for (const fault of limitFaults(path, usesOf(name, operations), ratelimits)) {
    console.error(fault)
    process.exitCode = 1
  }
}
