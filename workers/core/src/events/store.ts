import type { Facts, ObjectStorage, Sql, TableGroup } from '@svc/objects'
import {
  COUNTED_FAMILIES,
  EVENT_DAYS,
  type EventHead,
  type EventKind,
  type FeedEvent,
  familyOf,
  KEPT_OF_FAMILY,
  MERGED_FAMILIES,
} from '@svc/protocol/events/events'
import { BEGINNING, following } from '@svc/protocol/events/page-fault'
import { HookStore } from './hooks.ts'
import { mergedOf, merges, standsFor } from './merging.ts'
import { TicketStore } from './tickets.ts'
import { EventWaiters } from './waiters.ts'

/** The fact `eventHead` outlives the events, so that numbers and hashes go on after all of them were deleted. */
export const EVENTS: TableGroup = {
  name: 'events',
  steps: [
    {
      name: 'events',
      sql: `CREATE TABLE events (
              sequence INTEGER PRIMARY KEY, nth INTEGER NOT NULL, kind TEXT NOT NULL, family TEXT NOT NULL,
              ref TEXT NOT NULL, at INTEGER NOT NULL, previous_hash TEXT NOT NULL, report TEXT UNIQUE,
              counts_at INTEGER, count INTEGER, since INTEGER,
              -- Until then it stays, while nothing newer is about its ref, however many follow it.
              pending_until INTEGER,
              -- Null if it is kept at any age.
              ends_at INTEGER
            ) STRICT;
            CREATE INDEX events_by_family ON events (family, nth);
            CREATE INDEX events_by_end ON events (ends_at) WHERE ends_at IS NOT NULL;`,
    },
  ],
}

const KEPT_MS = EVENT_DAYS * 86_400_000
/** Of a pending rotation: until an event with its ref decides it. */
const UNDECIDED = Number.MAX_SAFE_INTEGER

const MEMBERS = 'sequence, nth, kind, ref, at, previous_hash, counts_at, count, since'
/** What web hooks are told beside their share of a day. Each of these is limited in number where it is made. */
const DECISIVE = `(family IN ('rotation', 'deactivation') OR kind IN ('device.attested', 'device.revoked'))`

interface Row {
  [column: string]: SqlStorageValue
  sequence: number
  nth: number
  kind: EventKind
  ref: string
  at: number
  previous_hash: string
  counts_at: number | null
  count: number | null
  since: number | null
}

export interface EventFacts {
  /** Id of a report that must be sent only once. */
  readonly report?: string
  /** When the device gains standing, epoch ms. */
  readonly countsAt?: number | undefined
  /** Until when others may answer what happened, epoch ms. */
  readonly pendingUntil?: number
  /** Of a hook that is removed: whether it was active for less than a day. */
  readonly isBrief?: boolean
}

const isMerged = (family: string) => (MERGED_FAMILIES as readonly string[]).includes(family)
const isOfAnyAge = (family: string) => isMerged(family) || (COUNTED_FAMILIES as readonly string[]).includes(family)

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
  add(kind: EventKind, ref: string, now: number, facts: EventFacts = {}): void {
    const { countsAt } = facts
    const family = familyOf(kind)
    const merged = isMerged(family) ? this.#merge({ kind, ref, isBrief: facts.isBrief === true }, now) : {}
    const act = { kind, ref, at: now, ...(countsAt !== undefined && { countsAt }), ...merged }
    const { event, head } = following(this.head(), act)
    this.#insert(event, facts, now)
    this.#facts.put('eventHead', head)
    this.#pruneFamily(family, event.nth, now)
    this.hooks.wake(now, this.decidesAfter(event.sequence - 1))
    this.waiters.wake()
    for (const listener of this.#listeners) listener()
  }

  /** Whether the feed has it already; of what is deleted by then, nobody reports again. */
  has(report: string): boolean {
    return this.#sql.exec('SELECT 1 FROM events WHERE report = ?', report).toArray().length > 0
  }

  head(): EventHead {
    return this.#facts.get<EventHead>('eventHead') ?? BEGINNING
  }

  after(sequence: number, limit: number): FeedEvent[] {
    return this.#sql
      .exec<Row>(`SELECT ${MEMBERS} FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?`, sequence, limit)
      .toArray()
      .map(eventOf)
  }

  /** Whether anything after a place decides who holds the identity. */
  decidesAfter(sequence: number): boolean {
    const query = `SELECT 1 FROM events WHERE sequence > ? AND ${DECISIVE} LIMIT 1`
    return this.#sql.exec(query, sequence).toArray().length > 0
  }

  /** Deletes what is too old, tickets that have expired, and hooks that nobody needs. */
  prune(now: number): void {
    this.#sql.exec('DELETE FROM events WHERE ends_at <= ?', now)
    this.tickets.prune(now)
    this.hooks.prune(now)
  }

  /** After a rebuild: deletes what was deleted before, because records keep rows that were added. */
  tidy(now: number): void {
    const hooks = new Set(this.hooks.list().map(({ hookId }) => hookId))
    const families = this.#sql.exec<{ family: string }>('SELECT DISTINCT family FROM events').toArray()
    for (const { family } of families) {
      const gone: number[] = []
      const standing: FeedEvent[] = []
      let newest = 0
      for (const event of this.#all(family)) {
        newest = Math.max(newest, event.nth)
        if (standing.some((later) => standsFor(later, event, hooks))) gone.push(event.sequence)
        else if (event.since !== undefined) standing.push(event)
      }
      for (const sequence of gone) this.#sql.exec('DELETE FROM events WHERE sequence = ?', sequence)
      this.#pruneFamily(family, newest, now)
    }
    this.prune(now)
  }

  /** When something is to be deleted or delivered; null if nothing is. Each assertion asks, so it reads one event. */
  nextDue(): number | null {
    const [oldest] = this.#sql
      .exec<{ at: number }>('SELECT ends_at AS at FROM events WHERE ends_at IS NOT NULL ORDER BY ends_at LIMIT 1')
      .toArray()
    const times = [oldest?.at ?? null, this.tickets.nextDeletion(), this.hooks.nextAt()].filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  #insert(event: FeedEvent, { report, countsAt, pendingUntil }: EventFacts, now: number): void {
    const family = familyOf(event.kind)
    const isUndecided = /\.(?:pending|contested)$/.test(event.kind)
    this.#sql.exec(
      `INSERT INTO events (${MEMBERS}, family, report, pending_until, ends_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      event.sequence,
      event.nth,
      event.kind,
      event.ref,
      now,
      event.previousHash,
      countsAt ?? null,
      event.count ?? null,
      event.since ?? null,
      family,
      report ?? null,
      isUndecided ? UNDECIDED : (pendingUntil ?? null),
      isOfAnyAge(family) ? null : now + KEPT_MS,
    )
  }

  /** Deletes what the new event stands for as well, and returns what it says of that. */
  #merge(act: { readonly kind: EventKind; readonly ref: string; readonly isBrief: boolean }, now: number) {
    const hooks = new Set(this.hooks.list().map(({ hookId }) => hookId))
    const merged = this.#newest(familyOf(act.kind)).filter((event) => merges(act, event, hooks, now))
    for (const { sequence } of merged) this.#sql.exec('DELETE FROM events WHERE sequence = ?', sequence)
    return mergedOf(merged)
  }

  /** The newest first, one by one: a day of holds can be many. */
  *#all(family: string): Generator<FeedEvent, void> {
    const rows = this.#sql.exec<Row>(`SELECT ${MEMBERS} FROM events WHERE family = ? ORDER BY nth DESC`, family)
    for (const row of rows) yield eventOf(row)
  }

  #newest(family: string): FeedEvent[] {
    return this.#sql
      .exec<Row>(`SELECT ${MEMBERS} FROM events WHERE family = ? ORDER BY nth DESC LIMIT ?`, family, KEPT_OF_FAMILY)
      .toArray()
      .map(eventOf)
  }

  /** Numbers of a family have gaps only where events are merged: there the rows are counted. */
  #pruneFamily(family: string, newest: number, now: number): void {
    const oldest = isMerged(family) ? (this.#newest(family)[KEPT_OF_FAMILY - 1]?.nth ?? 0) : newest - KEPT_OF_FAMILY + 1
    if (oldest <= 1) return
    this.#sql.exec(
      `DELETE FROM events WHERE family = ? AND nth < ?
       AND (pending_until IS NULL OR pending_until <= ?
         OR nth NOT IN (SELECT max(nth) FROM events WHERE family = ? GROUP BY ref))`,
      family,
      oldest,
      now,
      family,
    )
  }
}

function eventOf({ previous_hash: previousHash, counts_at: countsAt, count, since, ...event }: Row): FeedEvent {
  return {
    ...event,
    ...(countsAt !== null && { countsAt }),
    ...(count !== null && { count }),
    ...(since !== null && { since }),
    previousHash,
  }
}
