import type { PlacedLeaf, SubmitRefusal, SubmittedLeaf } from '@svc/log'
import { LogObject, type LogParts } from '@svc/log/object'
import type { Result } from '@svc/protocol/base/result'
import { epochOfLeafId, leafIdOfEntry } from '@svc/protocol/keys/account-map'
import { leafIdParts } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { logDelay, objectsIn } from '@svc/service'
import { accountMap } from '../account-map/bindings.ts'
import { directoryLogs } from './logs.ts'

/** One transparency log, with the cosignatures of its witnesses. */
export class TransparencyLogObject extends LogObject<Env> {
  /** When the next map is made, as far as this object knows. */
  #mapDue = 0

  override readonly partsOf = (log: string): LogParts => {
    const logs = directoryLogs(this.env)
    return {
      files: logs.files(log),
      founding: logs.founding(log),
      leafIdOf: leafIdOfEntry,
      onFault: (error) => logDelay({ service: 'keys', delayed: 'log upkeep' }, error),
      isKnown: async (leafId) => {
        const epoch = epochOfLeafId(leafId)
        if (epoch !== null) return accountMap(this.env).isSigned(epoch)
        const { label, statementHash } = leafIdParts(leafId)
        const account = objectsIn(this.env, this.env.ACCOUNT_DIRECTORIES).getByName(label)
        return (await account.findUpdate(statementHash))?.position?.log === log
      },
      sign: (head, now) => logs.sign({ log, ...head }, now),
    }
  }

  /** No update is acknowledged before the map knows that there are any. */
  override async submit(
    log: string,
    sentAt: number,
    leaves: readonly SubmittedLeaf[],
  ): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    const placed = await super.submit(log, sentAt, leaves)
    const hasUpdates = leaves.some(({ leafId }) => epochOfLeafId(leafId) === null)
    if (placed.ok && hasUpdates && this.#mapDue <= Date.now()) this.#mapDue = await accountMap(this.env).wake()
    return placed
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
