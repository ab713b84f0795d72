import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type EventHead, type FeedEvent, MERGE_HOURS, type ReportedKind } from '@svc/protocol/events/events'
import { type EventHook, HOOK_EVENTS } from '@svc/protocol/events/hooks'
import { endOf } from '@svc/protocol/events/page-fault'
import { TICKET_SECONDS } from '@svc/protocol/events/socket'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
import { hasStanding } from '../rotation/standing-rules.ts'
import type { StoredHook } from './hook-table.ts'
import type { DueHook, Failed, HookRefusal } from './hooks.ts'
import type { Listener } from './tickets.ts'

export interface EventQuery {
  readonly after: number
  readonly limit: number
  /** How long to wait for an event if there is none. */
  readonly waitMs: number
}

/** Something that happened elsewhere; its kind and id are told once. */
export interface Report {
  readonly kind: ReportedKind
  readonly ref: string
  readonly id: string
}

export interface EventReading {
  readonly did: string
  readonly events: readonly FeedEvent[]
  readonly missed: number
  readonly head: EventHead
}

export type EventRefusal = { readonly reason: 'too_many_waiting' }
export type TicketRefusal = { readonly reason: 'too_many_tickets' }
export interface TicketIssued {
  readonly did: string
  readonly expiresAt: number
}
export type TicketAnswer = Result<TicketIssued, Refused | TicketRefusal>
export type EventAnswer = Result<EventReading, Refused | EventRefusal>

/** A hook that was active for less leaves one event with the others of its day. */
const BRIEF_MS = MERGE_HOURS * 3_600_000

/** Reading the feed inside an identity's object. */
export class EventTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** With nothing after the place, waits for the next event. The caller must still be allowed then. */
  async read(assertion: VerifiedAssertion, query: EventQuery): Promise<EventAnswer> {
    const { waiters } = this.#transaction.events
    const read = this.#transaction.authorized(
      assertion,
      ({ did }): Result<EventReading, never> => ok(this.#page(did, query)),
    )
    if (query.waitMs === 0 || !read.ok || read.value.head.sequence !== query.after) return read
    if (!(await waiters.next(query.waitMs, assertion.signer))) return err({ reason: 'too_many_waiting' })
    return this.#transaction.write(
      { spentBy: assertion },
      ({ did }): Result<EventReading, never> => ok(this.#page(did, query)),
    )
  }

  /** A ticket for one socket; only the hash of its secret comes here. */
  issueTicket(assertion: VerifiedAssertion, secretHash: string): TicketAnswer {
    const { signer, userId, device } = assertion
    const listener = { signer, userId, deviceId: device?.deviceId ?? null }
    return this.#transaction.authorized(assertion, ({ did }): Result<TicketIssued, TicketRefusal> => {
      const now = Date.now()
      const expiresAt = now + TICKET_SECONDS * 1000
      const isIssued = this.#transaction.events.tickets.add(secretHash, listener, expiresAt, now)
      return isIssued ? ok({ did, expiresAt }) : err({ reason: 'too_many_tickets' })
    })
  }

  /** Whose ticket it was; null if there is no such ticket, or its key may no longer read. It is gone in any case. */
  redeem(secretHash: string): Listener | null {
    const { events, stored } = this.#transaction
    if (!this.#transaction.read()) return null
    const listener = stored.transact(() => events.tickets.take(secretHash, Date.now()))
    return listener && this.mayListen(listener) ? listener : null
  }

  /** Whether a key may read the feed now, like the signer of a fresh assertion. */
  mayListen({ userId, deviceId }: Listener): boolean {
    if (deviceId === null) return this.#transaction.checkKey(userId).ok
    return this.#transaction.read()?.deactivatedAt === null && this.#transaction.isActive(deviceId, Date.now())
  }

  /** Idempotent, since a report is repeated until it was taken. Nothing for an identity that does not exist. */
  report(reports: readonly Report[]): void {
    const { events, stored } = this.#transaction
    if (!this.#transaction.read()) return
    stored.transact(() => {
      for (const { kind, ref, id } of reports) {
        const name = `${kind} ${id}`
        if (!events.has(name)) events.add(kind, ref, Date.now(), { report: name })
      }
    })
  }

  /** Null if the identity has too many. The caller may act: its assertion was spent for this. */
  addHook(hookId: string, url: string): EventHook | null {
    const { events, stored } = this.#transaction
    return stored.transact(() => {
      const isAdded = events.hooks.add(hookId, url, events.head().sequence, Date.now())
      return isAdded ? events.hooks.find(hookId) : null
    })
  }

  hooks(): EventHook[] {
    return this.#transaction.read() ? this.#transaction.events.hooks.list() : []
  }

  /**
   * Idempotent. One that is proved gets a last page. While a device has standing, whose owner may object, one that was
   * active for a window goes on for another.
   */
  removeHook(hookId: string): EventHook | null {
    const { events, stored } = this.#transaction
    return stored.transact(() => {
      const hook = events.hooks.stored(hookId)
      const shown = events.hooks.find(hookId)
      if (!hook || hook.status === 'removing') return shown
      if (hook.status === 'pending') {
        events.hooks.remove(hookId)
        return shown
      }
      const now = Date.now()
      const removesAt = now + this.#removalMs(hook, now)
      events.hooks.removeAt(hookId, removesAt)
      const removing = events.hooks.find(hookId)
      if (removesAt > now) events.add('hook.removing', hookId, now)
      else this.#endHook(hook, now)
      return removing
    })
  }

  #removalMs({ activeSince }: StoredHook, now: number): number {
    const identity = this.#transaction.read()
    const times = this.#transaction.times()
    if (!identity || activeSince === null || now - activeSince < times.windowMs) return 0
    const devices = [...this.#transaction.devices.spans(identity.current.epoch, now).values()]
    return devices.some((spans) => hasStanding(spans, now, times)) ? times.windowMs : 0
  }

  /** Its removal takes effect: the event that says so is the last that it is told. */
  #endHook({ hookId, activeSince }: StoredHook, now: number): void {
    const { events } = this.#transaction
    const isBrief = activeSince !== null && now - activeSince < BRIEF_MS
    events.add('hook.removed', hookId, now, { isBrief })
    events.hooks.endWith(hookId, events.head().sequence)
  }

  /** The address has proved itself, which took a while: the root key must still be the current one. */
  activateHook(hookId: string, userId: string): Result<EventHook, HookRefusal> {
    const { events, stored } = this.#transaction
    if (!this.#transaction.checkKey(userId).ok) return err({ reason: 'unauthorized' })
    return stored.transact((): Result<EventHook, HookRefusal> => {
      const hook = events.hooks.find(hookId)
      if (!hook) return err({ reason: 'not_found' })
      if (hook.status === 'active') return ok(hook)
      const now = Date.now()
      events.hooks.activate(hookId, now)
      events.add('hook.added', hookId, now)
      return ok({ ...hook, ...events.hooks.find(hookId) })
    })
  }

  /** What is to be sent now. A hook with nothing to tell waits for the next event. */
  due(now: number): { readonly hook: DueHook; readonly reading: EventReading }[] {
    const { events, stored } = this.#transaction
    const identity = this.#transaction.read()
    if (!identity) return []
    return stored.transact(() => {
      for (const hookId of events.hooks.removed(now)) {
        const hook = events.hooks.stored(hookId)
        if (hook) this.#endHook(hook, now)
      }
      const due = events.hooks.due(now, (after) => events.decidesAfter(after))
      return due.flatMap((hook) => {
        const reading = this.#page(identity.did, { after: hook.delivered, limit: HOOK_EVENTS }, hook.lastEvent)
        if (reading.head.sequence > hook.delivered) return [{ hook, reading }]
        events.hooks.settle(hook)
        return []
      })
    })
  }

  /** Nothing could be sent: the deployment has no key to sign with. */
  postpone(hook: DueHook, now: number): void {
    const { events, stored } = this.#transaction
    stored.transact(() => events.hooks.postpone(hook, now))
  }

  settle(hook: DueHook, reading: EventReading, failed: Failed | null, now: number): void {
    const { events, stored } = this.#transaction
    stored.transact(() => {
      if (failed) {
        if (events.hooks.failed(hook, failed, now)) events.add('hook.disabled', hook.hookId, now)
        return
      }
      const upTo = lastOf(reading, hook)
      const isLast = events.head().sequence <= upTo
      events.hooks.delivered(hook, upTo, isLast ? null : now)
      // Nobody could delete it, and nothing else will happen.
      if (isLast && this.#transaction.read()?.deactivatedAt != null) events.hooks.remove(hook.hookId)
    })
  }

  /** A cursor ahead of the head is answered too: signed, it proves to its reader that events were lost. */
  #page(did: string, { after, limit }: Pick<EventQuery, 'after' | 'limit'>, upTo: number | null = null): EventReading {
    const { events } = this.#transaction
    const head = events.head()
    const found = events.after(after, limit)
    const last = upTo === null ? [] : found.filter(({ sequence }) => sequence <= upTo)
    const shown = last.length > 0 ? last : found
    // A page that is cut ends with an event; another accounts for all up to the head.
    const isCut = found.length === limit || shown.length < found.length
    const end = (isCut ? shown.at(-1)?.sequence : undefined) ?? head.sequence
    return { did, events: shown, missed: Math.max(0, end - after - shown.length), head }
  }
}

/** The number of the last event that a page accounts for. */
export function lastOf({ events, missed }: EventReading, { delivered }: DueHook): number {
  return endOf({ after: delivered, events: [...events], missed })
}
