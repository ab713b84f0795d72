import type { OpenLog } from '@svc/log'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import type { AnchorRecord, SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import type { AnchorBundle } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { type ListedLog, listedLog } from '@svc/protocol/merkle/log-list'
import { openedLog } from '@svc/protocol/merkle/log-list-signing'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { KeptLogs } from '@svc/service'
import type { AnchorCosigning } from './cosigning.ts'
import { firstCosigned } from './first-cosigned.ts'

interface SignedLog extends OpenLog {
  readonly checkpoint: SignedCheckpoint
}

/** Makes the bundle of an anchor from the files of its log. All proofs are for the checkpoint that the caller passes. */
export class BundleMaker {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #cosigning: AnchorCosigning

  constructor(logs: KeptLogs<SignedCheckpoint>, cosigning: AnchorCosigning) {
    this.#logs = logs
    this.#cosigning = cosigning
  }

  async bundle(
    record: AnchorRecord & { readonly position: LogPosition },
    found: SignedLog,
    now: number,
  ): Promise<AnchorBundle> {
    const { log, head, checkpoint } = found
    const [proof, states, listed] = await Promise.all([
      this.#logs.reader(log).inclusion(head, record.position.index),
      this.#states(record.position, found),
      this.#listed(found, now),
    ])
    return { format: 'svc/anchor-bundle/v2', record, log: listed, proof, checkpoint, ...states }
  }

  async #states(position: LogPosition, found: OpenLog): Promise<Pick<AnchorBundle, 'first' | 'cosigned'>> {
    const [known, seen] = await Promise.all([this.#cosigning.first(found), this.#cosigning.covering(position, found)])
    const first = firstCosigned(known, seen, position.index)
    const [start, cosigned] = await Promise.all([
      first && this.#extended(first, found),
      Promise.all(seen.map(async (one) => ({ ...one, consistency: await this.#extended(one.cosignature, found) }))),
    ])
    return { first: first && start ? { cosignature: first, consistency: start } : null, cosigned }
  }

  /** Proves that the log extends a cosigned state. */
  async #extended({ statement }: SignedCosignature, { log, head }: OpenLog): Promise<string[]> {
    const proved = await this.#logs.reader(log).consistency(head, statement.size, head.size)
    if (!proved.ok) throw new DependencyFault('anchors')
    return proved.value
  }

  async #listed({ log, head, checkpoint }: SignedLog, now: number): Promise<ListedLog> {
    const list = await this.#logs.lists.newest(now)
    return (
      (list.ok ? listedLog(list.value.statement, log) : null) ??
      openedLog({ log, series: 'anchors', publicKeyB64u: checkpoint.publicKeyB64u }, head.openedAt)
    )
  }
}
