// Writes the description of each named Worker into its static assets, from its live routes. Wrangler runs this before each
// upload, and so does scripts/deploy.
import { join } from 'node:path'
import { isWorkerName, ROOT } from '../workspace.ts'

// Wrangler runs it before it writes types, too, and they do not depend on it.
if (process.env['WRANGLER_COMMAND'] !== 'types')
  for (const name of process.argv.slice(2)) {
    if (!isWorkerName(name)) throw new Error(`No Worker is named ${name}`)
    const { isStale, liveDocumentOf } = await import('./live.ts')
    const live = await liveDocumentOf(name)
    if (isStale(name, live)) {
      console.error(`workers/${name}/openapi.json is stale: run scripts/test --fix`)
      process.exitCode = 1
    } else {
      const { writeDescription } = await import('./description.ts')
      writeDescription(name, join(ROOT, 'workers', name, 'dist'), live)
    }
  }
