import { mlDsa65 } from '@svc/pqc'
import type { SignedCheckpoint } from '@svc/protocol/anchors'
import { encodeBase64url } from '@svc/protocol/base64url'
import { fromHex } from '@svc/protocol/hash'
import { signStatement } from '@svc/protocol/statement'

/** Signs checkpoints of the log with the deployment's log key; without one it signs nothing. */
export class LogSigner {
  readonly #seed: string | undefined
  readonly #log: string
  #publicKey: Promise<string> | undefined

  constructor(seedHex: string | undefined, log: string) {
    this.#seed = seedHex
    this.#log = log
  }

  async sign(size: number, root: string, now: number): Promise<SignedCheckpoint | null> {
    if (!this.#seed) return null
    const seed = fromHex(this.#seed)
    this.#publicKey ??= mlDsa65.publicKeyOf(seed).then(encodeBase64url)
    const statement = { type: 'svc/anchor-checkpoint/v1', log: this.#log, size, root, issuedAt: now } as const
    const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
    return { ...signed, publicKeyB64u: await this.#publicKey }
  }
}
