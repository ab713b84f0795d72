import type { CoreInternalApi } from '@svc/protocol/internal/core'
import type { OpenHead } from '@svc/protocol/merkle/beacon'
import { objectsIn, openLogName, readConfig } from '@svc/service'
import { beaconConfigSchema } from './config.ts'

/** The heads of all logs that are open now. One that does not answer is left out. */
export async function openHeads(env: Env): Promise<OpenHead[]> {
  const log = openLogName(readConfig(beaconConfigSchema, env), 'transparency')
  const core = env.CORE as unknown as CoreInternalApi
  const found = await Promise.allSettled([
    objectsIn(env, env.TRANSPARENCY_LOG).getByName(log).head(log),
    core.openAnchorHead(),
  ])
  const [directory, anchors] = found
  return [
    ...(directory.status === 'fulfilled' ? [{ log, size: directory.value.size, root: directory.value.root }] : []),
    ...(anchors.status === 'fulfilled' && anchors.value ? [anchors.value] : []),
  ]
}
