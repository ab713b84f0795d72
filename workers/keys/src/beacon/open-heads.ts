import type { CoreInternalApi } from '@svc/protocol/internal/core'
import type { OpenHead } from '@svc/protocol/merkle/beacon'
import { currentRequestId } from '@svc/service'
import { directoryLogs } from '../transparency/logs.ts'

/** The heads of all logs that are open now. One that does not answer is left out. */
export async function openHeads(env: Env): Promise<OpenHead[]> {
  const core = env.CORE as unknown as CoreInternalApi
  const [directory, anchors] = await Promise.allSettled([
    directoryLogs(env).all.open(),
    core.openAnchorHead(currentRequestId()),
  ])
  const found: OpenHead[] = []
  if (directory.status === 'fulfilled') {
    const { log, head } = directory.value
    found.push({ log, size: head.size, root: head.root })
  }
  if (anchors.status === 'fulfilled' && anchors.value) found.push(anchors.value)
  return found
}
