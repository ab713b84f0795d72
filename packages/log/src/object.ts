import { VersionedObject } from '@svc/objects'
import type { Result } from '@svc/protocol/base/result'
import type { LogEnding, NextLog } from '@svc/protocol/merkle/roll'
import type { CloseRefusal, LogHead, PlacedLeaf, SubmitRefusal } from './answers.ts'
import { LOG_SCHEMA } from './schema.ts'
import { Sequencer, type SequencerParts, storedLogName } from './sequencer.ts'
import type { SubmittedLeaf } from './store.ts'

/** What differs between the logs of a deployment. */
export type LogParts = Omit<SequencerParts, 'stored' | 'now' | 'wait'>

/**
 * The object of one log: the only writer of its order. Its name comes with each call and is stored at the first one, so
 * that the object goes on with its own log when the configuration has opened another.
 */
export abstract class LogObject<Env> extends VersionedObject<Env> {
  static override readonly schemas = [LOG_SCHEMA]

  // Properties of the instance: unlike methods, they cannot be reached over RPC.
  abstract readonly partsOf: (log: string) => LogParts
  readonly sequencerOf = (log: string): Sequencer => {
    this.#sequencer ??= new Sequencer({
      ...this.partsOf(log),
      stored: this.stored,
      now: () => Date.now(),
      wait: (ms) => scheduler.wait(ms),
    })
    if (this.#sequencer.log !== log) throw new Error(`this is the object of ${this.#sequencer.log}`)
    return this.#sequencer
  }
  #sequencer: Sequencer | undefined

  /** Idempotent: a leaf has one place. Returns once the log has all of them, about a second later, or is closed. */
  submit(log: string, sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    return this.sequencerOf(log).submit(sentAt, leaves)
  }

  /** The owners of these leaves have stored their places. */
  acknowledge(log: string, indexes: readonly number[]): Promise<void> {
    return this.sequencerOf(log).acknowledge(indexes)
  }

  /** Ends the log and opens the next one. Idempotent. */
  close(log: string, next: NextLog): Promise<Result<LogEnding, CloseRefusal>> {
    return this.sequencerOf(log).close(next)
  }

  head(log: string): Promise<LogHead> {
    return this.sequencerOf(log).head()
  }

  override async alarm(): Promise<void> {
    const log = storedLogName(this.stored)
    if (log !== null) await this.sequencerOf(log).tidy()
  }
}
