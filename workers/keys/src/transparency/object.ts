import {
  LOG_SCHEMA,
  LogFiles,
  type LogHead,
  type PlacedLeaf,
  Sequencer,
  type SubmitRefusal,
  type SubmittedLeaf,
  storedLogName,
} from '@svc/log'
import { VersionedObject } from '@svc/objects'
import type { Result } from '@svc/protocol/base/result'
import { leafIdOfLine, leafIdParts } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logSignerOf, objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'

/**
 * One transparency log: the only writer of its order. Its name comes with each call and is stored at the first one, so
 * that the object goes on with its own log when the configuration has opened another.
 */
export class TransparencyLogObject extends VersionedObject<Env> {
  static override readonly schemas = [LOG_SCHEMA]
  #sequencer: Sequencer | undefined

  /** Idempotent: a leaf has one place. Returns once the log has all of them, about a second later. */
  submit(log: string, sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    return this.#of(log).submit(sentAt, leaves)
  }

  /** The accounts have stored the places of these leaves. */
  acknowledge(log: string, indexes: readonly number[]): Promise<void> {
    return this.#of(log).acknowledge(indexes)
  }

  head(log: string): Promise<LogHead> {
    return this.#of(log).head()
  }

  /** Where a leaf is that its account may not know yet; null for any other. */
  locate(log: string, leafId: string): Promise<number | null> {
    return this.#of(log).locate(leafId)
  }

  /** The caller has verified the signature, the witness, and that the log had this root. */
  cosign(cosignature: SignedCosignature): void {
    this.#of(cosignature.statement.log).cosign(cosignature)
  }

  cosignatures(log: string): SignedCosignature[] {
    return this.#of(log).cosignatures()
  }

  override async alarm(): Promise<void> {
    const log = storedLogName(this.stored)
    if (log !== null) await this.#of(log).tidy()
  }

  #of(log: string): Sequencer {
    this.#sequencer ??= this.#sequencerOf(log)
    if (this.#sequencer.log !== log) throw new Error(`this is the object of ${this.#sequencer.log}`)
    return this.#sequencer
  }

  #sequencerOf(log: string): Sequencer {
    const config = readConfig(configSchema, this.env)
    const signer = logSignerOf(config.DIRECTORY_LOG_SEED, config, log)
    return new Sequencer({
      stored: this.stored,
      files: new LogFiles(this.env.TILES, log),
      opening: openEntry(log, null),
      leafIdOf: leafIdOfLine,
      isKnown: async (leafId) => {
        const { label, statementHash } = leafIdParts(leafId)
        const update = await objectsIn(this.env, this.env.ACCOUNT_DIRECTORIES)
          .getByName(label)
          .findUpdate(statementHash)
        return update?.position?.log === log
      },
      sign: (head, issuedAt) =>
        signer.sign({ type: 'svc/transparency-checkpoint/v1', log, ...head, issuedAt } as const),
      now: Date.now,
      wait: (ms) => scheduler.wait(ms),
    })
  }
}
