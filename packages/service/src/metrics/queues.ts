import type { QueueReport } from '@svc/protocol/http/health'
import type { Service } from '@svc/rate-limit'
import { logDelay } from '../app/log.ts'
import { writeRow } from './metrics.ts'

/** What waits in an outbox that a service can count. `oldestAt` is null where nothing does. */
export interface Backlog {
  readonly depth: number
  readonly oldestAt: number | null
}

export type QueueReaders = Readonly<Record<string, (now: number) => Promise<Backlog | null>>>

const FRESH_MS = 60_000
/** `/health` does not wait longer: it tells that the Worker runs, whatever the others do. */
const PATIENCE_MS = 300

/** Depth and oldest age of a service's queues. Each isolate asks at most once a minute. */
export class Queues {
  readonly #service: Service
  readonly #readers: QueueReaders
  #measured: { readonly at: number; readonly report: QueueReport } | null = null
  #askedAt = 0

  constructor(service: Service, readers: QueueReaders) {
    this.#service = service
    this.#readers = readers
  }

  /** At most a minute old; undefined if nobody could be asked in time. Never rejects. */
  async recent(now: number): Promise<QueueReport | undefined> {
    if (now - this.#askedAt >= FRESH_MS) {
      this.#askedAt = now
      await Promise.race([this.measure(now), scheduler.wait(PATIENCE_MS)])
    }
    return this.#measured && now - this.#measured.at < FRESH_MS ? this.#measured.report : undefined
  }

  /** Writes a row for each queue. One that cannot be read is logged and left out. */
  async measure(now: number): Promise<void> {
    const report: QueueReport = {}
    const read = async (name: string, reader: QueueReaders[string]) => {
      try {
        const { depth, oldestAt } = (await reader(now)) ?? { depth: 0, oldestAt: null }
        const oldestAgeSeconds = oldestAt === null ? 0 : Math.max(0, Math.floor((now - oldestAt) / 1000))
        report[name] = { depth, oldestAgeSeconds }
        writeRow({ kind: 'queue', service: this.#service, name, value: depth, detail: oldestAgeSeconds })
      } catch (error) {
        logDelay({ service: this.#service, delayed: 'queue measurement' }, error)
      }
    }
    await Promise.all(Object.entries(this.#readers).map(([name, reader]) => read(name, reader)))
    this.#measured = { at: now, report }
  }
}

/** Reads `depth` and `oldestAt` with one statement; `?1` is the time. */
export function backlogIn(db: D1Database, sql: string): (now: number) => Promise<Backlog | null> {
  return (now) => db.prepare(sql).bind(now).first<{ depth: number; oldestAt: number | null }>()
}
