import {
  LOG_SCHEMA,
  LogFiles,
  type LogHead,
  type PlacedLeaf,
  Sequencer,
  type SubmitRefusal,
  type SubmittedLeaf,
} from '@svc/log'
import { VersionedObject } from '@svc/objects'
import type { Result } from '@svc/protocol/base/result'
import { leafIdOfLine } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logSignerOf, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { openLog } from './open-log.ts'

/** One transparency log, named by the log's name: the only writer of its order. */
export class TransparencyLogObject extends VersionedObject<Env> {
  static override readonly schemas = [LOG_SCHEMA]
  readonly #sequencer: Sequencer

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const log = openLog(env)
    const config = readConfig(configSchema, env)
    const signer = logSignerOf(config.DIRECTORY_LOG_SEED, config, log)
    this.#sequencer = new Sequencer({
      stored: this.stored,
      files: new LogFiles(env.TILES, log),
      opening: openEntry(log, null),
      leafIdOf: leafIdOfLine,
      sign: (head, issuedAt) =>
        signer.sign({ type: 'svc/transparency-checkpoint/v1', log, ...head, issuedAt } as const),
      now: Date.now,
      wait: (ms) => scheduler.wait(ms),
    })
  }

  /** Idempotent: a leaf has one place. Returns once the log has all of them, about a second later. */
  submit(sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    return this.#sequencer.submit(sentAt, leaves)
  }

  /** The accounts have stored the places of these leaves. */
  acknowledge(indexes: readonly number[]): Promise<void> {
    return this.#sequencer.acknowledge(indexes)
  }

  head(): Promise<LogHead> {
    return this.#sequencer.head()
  }

  /** Where a leaf is that its account may not know yet; null for any other. */
  locate(leafId: string): Promise<number | null> {
    return this.#sequencer.locate(leafId)
  }

  /** The caller has verified the signature, the witness, and that the log had this root. */
  cosign(cosignature: SignedCosignature): void {
    this.#sequencer.cosign(cosignature)
  }

  cosignatures(): SignedCosignature[] {
    return this.#sequencer.cosignatures()
  }

  override async alarm(): Promise<void> {
    await this.#sequencer.tidy()
  }
}
