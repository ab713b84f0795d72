/**
 * What is uploaded with the code of the Workers as static assets: the description of each one's API, and the pages of the
 * docs Worker.
 *
 * @module
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { hasDescription } from '@svc/platform/documented/description'
import { ROOT, SetupError, type WorkerName } from '@svc/platform/workspace'
import { buildSite } from '@svc/site/build'
import { sdkReference } from '@svc/site/sdk-reference'
import type { RawConfig } from '../worker-deployment.ts'

type Configs = ReadonlyMap<WorkerName, Pick<RawConfig, 'name' | 'assets'>>

const DESCRIBE = join(ROOT, 'scripts/platform/documented/describe.ts')

/** Builds the assets anew. Fails if a committed OpenAPI document is not that of the live routes. */
export async function buildAssets(configs: Configs): Promise<void> {
  for (const [worker, { assets }] of configs)
    if (assets) rmSync(join(ROOT, 'workers', worker, assets.directory), { recursive: true, force: true })
  const site = configs.get('docs')?.assets?.directory
  if (site !== undefined) await buildSite(join(ROOT, 'workers/docs', site), await sdkReference())
  const { code, output } = await capture(process.execPath, ['--no-warnings', DESCRIBE, ...configs.keys()])
  if (code !== 0) throw new SetupError(`The APIs could not be described.\n${output}`)
  const faults = assetFaults(configs)
  if (faults.length > 0) throw new SetupError(`Not to be uploaded:\n  ${faults.join('\n  ')}`)
}

/** The Workers that would answer 503 where they describe themselves. `root` has the folders of the Workers. */
export function assetFaults(configs: Configs, root = join(ROOT, 'workers')): string[] {
  return [...configs].flatMap(([worker, { name, assets }]) => {
    if (!assets?.binding) return [`${name}: binds no static assets, which have the description of its API`]
    const folder = join(root, worker, assets.directory)
    return existsSync(folder) && hasDescription(worker, folder)
      ? []
      : [`${name}: ${assets.directory} lacks the description of its API`]
  })
}
