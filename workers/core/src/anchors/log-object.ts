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
import { anchorIdOfLine } from '@svc/protocol/ledger/anchor-log'
import { openEntry } from '@svc/protocol/merkle/entries'
import { logSignerOf, objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { AnchorFiles } from './files.ts'

/**
 * One log of anchors: the only writer of its order. Its name comes with each call and is stored at the first one, so that
 * the object goes on with its own log when the configuration has opened another.
 */
export class AnchorLogObject extends VersionedObject<Env> {
  static override readonly schemas = [LOG_SCHEMA]
  #sequencer: Sequencer | undefined

  /** Idempotent: an anchor has one place. Returns once the log has all of them, about a second later. */
  submit(log: string, sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    return this.#of(log).submit(sentAt, leaves)
  }

  /** The owners have stored the places of these anchors. */
  acknowledge(log: string, indexes: readonly number[]): Promise<void> {
    return this.#of(log).acknowledge(indexes)
  }

  head(log: string): Promise<LogHead> {
    return this.#of(log).head()
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
    const signer = logSignerOf(config.ANCHOR_LOG_SEED, config, log)
    return new Sequencer({
      stored: this.stored,
      files: new LogFiles(this.env.BLOBS, log),
      opening: openEntry(log, null),
      leafIdOf: anchorIdOfLine,
      isKnown: (anchorId) => this.#isKnown(log, anchorId),
      sign: (head, issuedAt) => signer.sign({ type: 'svc/anchor-checkpoint/v1', log, ...head, issuedAt } as const),
      now: Date.now,
      wait: (ms) => scheduler.wait(ms),
    })
  }

  async #isKnown(log: string, anchorId: string): Promise<boolean> {
    const body = await new AnchorFiles(this.env.BLOBS).find(anchorId)
    if (!body) return false
    const owner = objectsIn(this.env, this.env.IDENTITIES).getByName(body.owner)
    return (await owner.anchor(anchorId))?.position?.log === log
  }
}
