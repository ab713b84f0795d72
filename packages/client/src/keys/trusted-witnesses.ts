import type { AccountAnswer, SignedCosignature } from '#protocol/keys/transparency'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Patience } from './account-agreement.ts'
import type { DirectoryLog } from './directory-log.ts'

/** The witnesses whose word this client takes for a map of accounts. */
export class TrustedWitnesses {
  readonly #keys: ReadonlySet<string>
  readonly #log: DirectoryLog
  readonly #transport: Transport

  constructor(keys: readonly string[], log: DirectoryLog, transport: Transport) {
    this.#keys = new Set(keys)
    this.#log = log
    this.#transport = transport
  }

  get areDemanded(): boolean {
    return this.#keys.size > 0
  }

  /** Waits until one of them has recomputed the map that an answer was proved from, and every map before it. */
  async witnessed({ map: { position } }: AccountAnswer, { attempts, pauseMs }: Patience): Promise<SignedCosignature> {
    for (let attempt = 1; ; attempt++) {
      const { checkpoint, cosignatures } = await this.#log.cosigned(position.log)
      for (const cosignature of cosignatures) {
        const { statement, publicKeyB64u } = cosignature
        const isOfMap = statement.verifies === 'log+map' && statement.log === position.log
        if (!isOfMap || !this.#keys.has(publicKeyB64u) || statement.size <= position.index) continue
        if (await this.#log.isPrefix(statement, checkpoint)) return cosignature
      }
      if (attempt >= attempts)
        throw unverified('account', 'not_cosigned', 'No witness that this client trusts has verified the map', {
          evidence: { checkpoint, cosignatures },
        })
      await this.#transport.pause(pauseMs)
    }
  }
}
