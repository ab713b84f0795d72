import { LogObject, type LogParts } from '@svc/log/object'
import { leafIdOfLine, leafIdParts } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { objectsIn } from '@svc/service'
import { directoryLogs } from './logs.ts'

/** One transparency log, with the cosignatures of its witnesses. */
export class TransparencyLogObject extends LogObject<Env> {
  override readonly partsOf = (log: string): LogParts => {
    const logs = directoryLogs(this.env)
    return {
      files: logs.files(log),
      founding: logs.founding(log),
      leafIdOf: leafIdOfLine,
      isKnown: async (leafId) => {
        const { label, statementHash } = leafIdParts(leafId)
        const account = objectsIn(this.env, this.env.ACCOUNT_DIRECTORIES).getByName(label)
        return (await account.findUpdate(statementHash))?.position?.log === log
      },
      sign: (head, now) => logs.sign({ log, ...head }, now),
    }
  }

  /** Where a leaf is that its account may not know yet; null for any other. */
  locate(log: string, leafId: string): Promise<number | null> {
    return this.sequencerOf(log).locate(leafId)
  }

  /** The caller has verified the signature, the witness, and that the log had this root. */
  cosign(cosignature: SignedCosignature): void {
    this.sequencerOf(cosignature.statement.log).cosign(cosignature)
  }

  cosignatures(log: string): SignedCosignature[] {
    return this.sequencerOf(log).cosignatures()
  }
}
