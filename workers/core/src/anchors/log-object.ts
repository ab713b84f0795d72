import { storedLogName } from '@svc/log'
import { LogObject, type LogParts } from '@svc/log/object'
import { leafIdOfLine, withheldOfLeafId } from '@svc/protocol/ledger/withheld'
import { doneOrDelayed, logDelay, objectsIn } from '@svc/service'
import { BodyBundles } from './body-bundles.ts'
import { Bundler } from './bundler.ts'
import { AnchorFiles } from './files.ts'
import { anchorLogs } from './logs.ts'
import { WithheldFiles } from './withheld-files.ts'

/** Between two rounds of bundling bodies. */
const NEXT_MS = 1_000
const RETRY_MS = 60_000

/** One log of anchors. */
export class AnchorLogObject extends LogObject<Env> {
  override readonly partsOf = (log: string): LogParts => {
    const logs = anchorLogs(this.env)
    return {
      files: logs.files(log),
      founding: logs.founding(log),
      leafIdOf: leafIdOfLine,
      onFault: (error) => logDelay({ service: 'core', delayed: 'log upkeep' }, error),
      isKnown: async (leafId) => {
        const withheld = withheldOfLeafId(leafId)
        if (withheld !== null) return (await new WithheldFiles(this.env.BLOBS).notice(withheld)) !== null
        const files = new AnchorFiles(this.env.BLOBS)
        const body = await files.ofLeaf(leafId)
        // Withheld: its owner had its place before.
        if (!body && (await new WithheldFiles(this.env.BLOBS).notice(leafId))) return true
        const owner = body && objectsIn(this.env, this.env.IDENTITIES).getByName(body.owner)
        return (await owner?.anchor(body?.anchorId ?? ''))?.position?.log === log
      },
      sign: (head, now) => logs.sign({ log, ...head }, now),
    }
  }
  #bundler: Bundler | undefined

  /** After a batch an alarm is due within minutes, so a bundle that it has filled is made then. */
  override async alarm(): Promise<void> {
    await super.alarm()
    const log = storedLogName(this.stored)
    if (log === null) return
    this.#bundler ??= new Bundler(new BodyBundles(this.env.BLOBS), log)
    const bundler = this.#bundler
    const isDone = await doneOrDelayed({ service: 'core', delayed: 'anchor bodies' }, async () => {
      const { size } = await this.head(log)
      if (!(await bundler.run(size))) void this.stored.alarm.by(Date.now() + NEXT_MS)
    })
    if (!isDone) void this.stored.alarm.by(Date.now() + RETRY_MS)
  }
}
