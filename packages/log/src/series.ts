import { type LogSeries, logNameOf, logPeriodSchema } from '@svc/protocol/merkle/log-name'
import type { LogHead } from './answers.ts'
import { type LogBucket, LogFiles } from './files.ts'

export interface OpenLog {
  readonly log: string
  readonly head: LogHead
}

/**
 * The logs of one series: which one is open, and which there are. The configuration names one of them; the object of a
 * log that was closed leads to the next.
 */
export class SeriesLogs {
  readonly #bucket: LogBucket
  readonly #head: (log: string) => Promise<LogHead>
  readonly #prefix: string
  readonly #configured: string

  constructor(parts: {
    readonly namespace: string
    readonly series: LogSeries
    /** The open log, or one before it: each roll since costs one more call. */
    readonly configured: string
    readonly bucket: LogBucket
    readonly head: (log: string) => Promise<LogHead>
  }) {
    this.#bucket = parts.bucket
    this.#head = parts.head
    this.#prefix = logNameOf(parts.namespace, parts.series, '')
    this.#configured = parts.configured
  }

  async open(): Promise<OpenLog> {
    for (let log = this.#configured; ; ) {
      const head = await this.#head(log)
      if (!head.ending) return { log, head }
      log = head.ending.next
    }
  }

  /** Whether a log of this series can have this name, whether or not it was opened. */
  isName(log: string): boolean {
    return log.startsWith(this.#prefix) && logPeriodSchema.safeParse(log.slice(this.#prefix.length)).success
  }

  /** Whether a log of this series was opened. Asking for another name reaches no object, so it creates none. */
  async has(log: string): Promise<boolean> {
    if (log === this.#configured) return true
    return this.isName(log) && (await new LogFiles(this.#bucket, log).opening()) !== null
  }

  /** The head of a log, by default the open one; null for one that the series does not have. */
  async find(log: string | undefined): Promise<OpenLog | null> {
    if (log === undefined) return this.open()
    return (await this.has(log)) ? { log, head: await this.#head(log) } : null
  }
}
