import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import {
  EVENT_DAYS,
  type EventKind,
  type EventPlace,
  type FeedEvent,
  feedEventHash,
  NO_EVENT_HASH,
} from '@svc/protocol/events/events'
import { MAX_EVENTS } from '@svc/protocol/pay/tiers'
import { HookStore } from './hooks.ts'
import { TicketStore } from './tickets.ts'
import { EventWaiters } from './waiters.ts'

/** The fact `eventHead` outlives the events, so that numbers and hashes go on after all of them were deleted. */
export const EVENTS: TableGroup = {
  name: 'events',
  steps: [
    {
      name: 'events',
      sql: `CREATE TABLE events (
              sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, ref TEXT NOT NULL, at INTEGER NOT NULL,
              previous_hash TEXT NOT NULL, report TEXT UNIQUE, counts_at INTEGER
            ) STRICT`,
    },
  ],
}

const KEPT_MS = EVENT_DAYS * 86_400_000

interface Row {
  [column: string]: SqlStorageValue
  sequence: number
  kind: EventKind
  ref: string
  at: number
  previous_hash: string
  counts_at: number | null
}

export interface EventFacts {
  /** Id of a report that must be sent only once. */
  readonly report?: string
  /** When the device gains standing, epoch ms. */
  readonly countsAt?: number | undefined
}

/** The events of one identity, in its object's SQLite: an event is written in the transaction of its act. */
export class EventStore {
  /** Woken inside the transaction, which may still be rolled back: read again. */
  readonly waiters = new EventWaiters()
  readonly tickets: TicketStore
  readonly hooks: HookStore
  readonly #sql: Sql
  readonly #facts: Facts
  readonly #listeners: (() => void)[] = []

  constructor(stored: ObjectStorage) {
    this.#sql = stored.tables(EVENTS)
    this.#facts = stored.facts
    this.tickets = new TicketStore(stored)
    this.hooks = new HookStore(stored)
  }

  /** Called with each event, inside the transaction, which may still be rolled back. */
  onEvent(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Appends an event, in the transaction of the act that it reports. */
  add(kind: EventKind, ref: string, now: number, { report, countsAt }: EventFacts = {}): void {
    const { sequence, hash: previousHash } = this.head()
    const counts = countsAt === undefined ? {} : { countsAt }
    const event: FeedEvent = { sequence: sequence + 1, kind, ref, at: now, ...counts, previousHash }
    this.#sql.exec(
      'INSERT INTO events (sequence, kind, ref, at, previous_hash, report, counts_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      event.sequence,
      kind,
      ref,
      now,
      previousHash,
      report ?? null,
      countsAt ?? null,
    )
    this.#facts.put('eventHead', { sequence: event.sequence, hash: feedEventHash(event) } satisfies EventPlace)
    this.prune(now)
    this.hooks.wake(now)
    this.waiters.wake()
    for (const listener of this.#listeners) listener()
  }

  /** Whether the feed has it already; of what is deleted by then, nobody reports again. */
  has(report: string): boolean {
    return this.#sql.exec('SELECT 1 FROM events WHERE report = ?', report).toArray().length > 0
  }

  head(): EventPlace {
    return this.#facts.get<EventPlace>('eventHead') ?? { sequence: 0, hash: NO_EVENT_HASH }
  }

  after(sequence: number, limit: number): FeedEvent[] {
    return this.#sql
      .exec<Row>(
        'SELECT sequence, kind, ref, at, previous_hash, counts_at FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?',
        sequence,
        limit,
      )
      .toArray()
      .map(({ previous_hash: previousHash, counts_at: countsAt, ...event }) => ({
        ...event,
        ...(countsAt === null ? {} : { countsAt }),
        previousHash,
      }))
  }

  /** The number of the oldest event that is kept; the next one if none is. */
  oldest(): number {
    return this.#oldest()?.sequence ?? this.head().sequence + 1
  }

  /** Deletes what is too old, and the oldest of too many, tickets that have expired, and hooks that nobody needs. Times only grow with numbers as far as the clock does. */
  prune(now: number): void {
    this.#sql.exec('DELETE FROM events WHERE sequence <= ?', this.head().sequence - MAX_EVENTS)
    this.#sql.exec(
      'DELETE FROM events WHERE sequence <= (SELECT max(sequence) FROM events WHERE at <= ?)',
      now - KEPT_MS,
    )
    this.tickets.prune(now)
    this.hooks.prune(now)
  }

  /** When something is to be deleted or delivered; null if nothing is. */
  nextDue(): number | null {
    const oldest = this.#oldest()
    const times = [oldest && oldest.at + KEPT_MS, this.tickets.nextDeletion(), this.hooks.nextAt()].filter(
      (time) => time !== null,
    )
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Each assertion asks for it, so it reads one row: times grow with numbers as far as the clock does. */
  #oldest(): { readonly sequence: number; readonly at: number } | null {
    const [row] = this.#sql
      .exec<{ sequence: number; at: number }>('SELECT sequence, at FROM events ORDER BY sequence LIMIT 1')
      .toArray()
    return row ?? null
  }
}
