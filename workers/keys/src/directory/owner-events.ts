import { Outbox, type Sql, type Waiting } from '@svc/objects'
import { type EventReport, MAX_REPORTS } from '@svc/protocol/internal/events'

/** Shares the alarm that hands leaves to the log. */
const REPORT_MS = 5_000

export interface DueReports {
  readonly did: string
  readonly events: readonly EventReport[]
  readonly waiting: readonly Waiting[]
}

/** What the event feed of the account's owner does not have yet. Adding runs in the transaction of the act. */
export class OwnerEvents {
  readonly #outbox: Outbox

  constructor(sql: Sql) {
    this.#outbox = new Outbox(sql, 'unreported')
  }

  add(did: string, event: EventReport, now: number): void {
    this.#outbox.add({ id: event.id, item: JSON.stringify({ did, event }) }, now + REPORT_MS)
  }

  dueAt(): number | null {
    return this.#outbox.dueAt()
  }

  due(now: number): DueReports | null {
    const waiting = this.#outbox.due(now, MAX_REPORTS)
    const items = waiting.map(({ item }) => JSON.parse(item) as { did: string; event: EventReport })
    const [first] = items
    return first ? { did: first.did, events: items.map(({ event }) => event), waiting } : null
  }

  settle({ waiting }: DueReports, haveArrived: boolean, now: number): void {
    this.#outbox.settle(waiting, haveArrived, now)
  }
}
