import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import { type LogConfig, logSignerOf } from '@svc/service'

/** Signs checkpoints of logs, each with its own key; without a seed it signs nothing. */
export class LogSigner {
  readonly #seedHex: string | undefined
  readonly #config: LogConfig
  readonly #signers = new Map<string, DeploymentSigner>()

  constructor(seedHex: string | undefined, config: LogConfig) {
    this.#seedHex = seedHex
    this.#config = config
  }

  sign(log: string, size: number, root: string, now: number): Promise<SignedCheckpoint | null> {
    const statement = { type: 'svc/anchor-checkpoint/v1', log, size, root, issuedAt: now } as const
    return this.of(log).sign(statement)
  }

  /** The signer of one log, kept: deriving a key takes milliseconds, and there are few logs. */
  of(log: string): DeploymentSigner {
    const signer = this.#signers.get(log) ?? logSignerOf(this.#seedHex, this.#config, log)
    this.#signers.set(log, signer)
    return signer
  }
}
