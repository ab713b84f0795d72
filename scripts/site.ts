// Builds the documentation site where the docs Worker takes its assets from. Deploying does it by itself.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lib/workspace.ts'
import { buildSite } from './site/build.ts'

const target = join(ROOT, 'workers/docs/dist')
rmSync(target, { recursive: true, force: true })
buildSite(target)
