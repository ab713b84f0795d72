// Writes workers/*/openapi.json from the live routes; --check fails when a committed copy is stale.
import { writeFileSync } from 'node:fs'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { recordSchemaIds } from './openapi/schema-ids.ts'

const check = process.argv.includes('--check')
const schemaIds = recordSchemaIds()
const { committedPath } = await import('@svc/platform/documented/description')
const { committedText, isStale, liveDocumentOf } = await import('@svc/platform/documented/live')

for (const name of WORKER_NAMES) {
  const live = await liveDocumentOf(name)
  for (const conflict of schemaIds.conflicts(name)) fail(`${name}: ${conflict}`)
  if (!check) writeFileSync(committedPath(name), committedText(live))
  else if (isStale(name, live)) fail(`workers/${name}/openapi.json is stale: run scripts/test --fix`)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
