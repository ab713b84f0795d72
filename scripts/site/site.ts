// Builds the documentation site into the docs Worker's assets folder. Wrangler runs this before each upload.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildSite } from './build.ts'
import { ROOT } from './root.ts'
import { sdkReference } from './sdk-reference.ts'

const target = join(ROOT, 'workers/docs/dist')
rmSync(target, { recursive: true, force: true })
await buildSite(target, await sdkReference())
