import type { SignedCheckpoint } from '@svc/protocol/anchors'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'

/** Signs checkpoints of the log with the deployment's log key; without one it signs nothing. */
export class LogSigner {
  readonly #signer: DeploymentSigner
  readonly #log: string

  constructor(seedHex: string | undefined, log: string) {
    this.#signer = new DeploymentSigner(seedHex)
    this.#log = log
  }

  sign(size: number, root: string, now: number): Promise<SignedCheckpoint | null> {
    return this.#signer.sign({ type: 'svc/anchor-checkpoint/v1', log: this.#log, size, root, issuedAt: now } as const)
  }
}
