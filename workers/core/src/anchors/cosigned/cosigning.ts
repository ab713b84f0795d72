import type { OpenLog } from '@svc/log'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type SignedCosignature, verifyCosignature } from '@svc/protocol/keys/cosignature'
import type { SignedCheckpoint } from '@svc/protocol/ledger/anchors'
import type { AnchorCosigned } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { KeptLogs } from '@svc/service'
import type { CosignedFiles } from './files.ts'

export type CosignRefusal = {
  readonly reason: 'unknown_signer' | 'invalid_signature' | 'not_found' | 'log_fork'
}

/** Witnesses of the logs of anchors: what they sign tells when an anchor was there, by a clock that is not the log's. */
export class AnchorCosigning {
  readonly #logs: KeptLogs<SignedCheckpoint>
  readonly #files: CosignedFiles
  readonly #witnesses: ReadonlySet<string>
  readonly #realms: Realms

  constructor(parts: {
    readonly logs: KeptLogs<SignedCheckpoint>
    readonly files: CosignedFiles
    readonly witnesses: readonly string[]
    readonly realms: Realms
  }) {
    this.#logs = parts.logs
    this.#files = parts.files
    this.#witnesses = new Set(parts.witnesses)
    this.#realms = parts.realms
  }

  /** Keeps what a configured witness says of a state of a log; returns the one that is kept. A different root is a fork. */
  async cosign(cosignature: SignedCosignature): Promise<Result<SignedCosignature, CosignRefusal>> {
    const { log, size, root } = cosignature.statement
    if (!this.#witnesses.has(cosignature.publicKeyB64u)) return err({ reason: 'unknown_signer' })
    if (!(await verifyCosignature(cosignature, this.#realms))) return err({ reason: 'invalid_signature' })
    const found = await this.#logs.all.find(log)
    if (!found || size > found.head.size) return err({ reason: 'not_found' })
    if ((await this.#logs.reader(log).root(found.head, size)) !== root) return err({ reason: 'log_fork' })
    return ok(await this.#files.keep(cosignature))
  }

  /** The cosignature of the smallest size up to the head that was read; null without any. */
  async first({ log, head }: OpenLog): Promise<SignedCosignature | null> {
    const first = await this.#files.first(log)
    return first && first.statement.size <= head.size ? first : null
  }

  /** Each witness's first state that covers the position, up to the head that was read, with its audit path. */
  async covering(position: LogPosition, read?: OpenLog): Promise<AnchorCosigned['cosigned']> {
    const first = await this.#files.covering(position)
    if (first.length === 0) return []
    const found = read ?? (await this.#logs.all.find(position.log))
    if (!found) return []
    const reader = this.#logs.reader(position.log)
    return Promise.all(
      first
        .filter(({ statement }) => statement.size <= found.head.size)
        .map(async (cosignature) => ({
          cosignature,
          proof: await reader.inclusion(found.head, position.index, cosignature.statement.size),
        })),
    )
  }
}
