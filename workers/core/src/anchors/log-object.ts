import { LogObject, type LogParts } from '@svc/log/object'
import { anchorIdOfLine } from '@svc/protocol/ledger/anchor-log'
import { objectsIn } from '@svc/service'
import { AnchorFiles } from './files.ts'
import { anchorLogs } from './logs.ts'

/** One log of anchors. */
export class AnchorLogObject extends LogObject<Env> {
  override readonly partsOf = (log: string): LogParts => {
    const logs = anchorLogs(this.env)
    return {
      files: logs.files(log),
      founding: logs.founding(log),
      leafIdOf: anchorIdOfLine,
      isKnown: async (anchorId) => {
        const body = await new AnchorFiles(this.env.BLOBS).find(anchorId)
        const owner = body && objectsIn(this.env, this.env.IDENTITIES).getByName(body.owner)
        return (await owner?.anchor(anchorId))?.position?.log === log
      },
      sign: (head, now) => logs.sign({ log, ...head }, now),
    }
  }
}
