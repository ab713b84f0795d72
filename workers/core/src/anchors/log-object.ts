import { LogFiles } from '@svc/log'
import { LogObject, type LogParts } from '@svc/log/object'
import { anchorIdOfLine } from '@svc/protocol/ledger/anchor-log'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logSignerOf, objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { AnchorFiles } from './files.ts'

/** One log of anchors. */
export class AnchorLogObject extends LogObject<Env> {
  override readonly partsOf = (log: string): LogParts => {
    const config = readConfig(configSchema, this.env)
    const signer = logSignerOf(config.ANCHOR_LOG_SEED, config, log)
    return {
      files: new LogFiles(this.env.BLOBS, log),
      opening: openEntry(log, null),
      leafIdOf: anchorIdOfLine,
      isKnown: async (anchorId) => {
        const body = await new AnchorFiles(this.env.BLOBS).find(anchorId)
        const owner = body && objectsIn(this.env, this.env.IDENTITIES).getByName(body.owner)
        return (await owner?.anchor(anchorId))?.position?.log === log
      },
      sign: (head, issuedAt) => signer.sign({ type: 'svc/anchor-checkpoint/v1', log, ...head, issuedAt } as const),
    }
  }
}
