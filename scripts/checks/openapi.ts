// Writes workers/*/openapi.json from the live routes; --check fails when a committed copy is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { recordSchemaIds } from './openapi/schema-ids.ts'

const check = process.argv.includes('--check')
const schemaIds = recordSchemaIds()

for (const name of WORKER_NAMES) {
  const app = join(ROOT, 'workers', name, 'src/app.ts')
  if (!existsSync(app)) continue
  const { document } = (await import(pathToFileURL(app).href)) as { document: () => object }
  const current = `${JSON.stringify(document(), null, 2)}\n`
  for (const conflict of schemaIds.conflicts(name)) fail(`${name}: ${conflict}`)
  const target = join(ROOT, 'workers', name, 'openapi.json')
  if (!check) writeFileSync(target, current)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== current)
    fail(`workers/${name}/openapi.json is stale: run scripts/test --fix`)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
