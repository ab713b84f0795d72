import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import { KeptLogs, objectsIn } from '@svc/service'

/** The logs of anchors. */
export function anchorLogs(env: Env): KeptLogs<SignedCheckpoint> {
  const objects = objectsIn(env, env.ANCHOR_LOG)
  return new KeptLogs(env, { series: 'anchors', seed: 'ANCHOR_LOG_SEED', bucket: env.BLOBS, objects })
}
