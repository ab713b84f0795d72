import type { DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import { KeptLogs, objectsIn } from '@svc/service'
import { labelsOf } from '../labels/labels.ts'

/** The logs of the key directory. */
export function directoryLogs(env: Env): KeptLogs<DirectoryCheckpoint> {
  const objects = objectsIn(env, env.TRANSPARENCY_LOG)
  return new KeptLogs(env, {
    series: 'transparency',
    seed: 'DIRECTORY_LOG_SEED',
    bucket: env.TILES,
    objects,
    labelKey: () => labelsOf(env).publicKey(),
  })
}
