import type { VerifiedAssertion } from '@svc/assertion'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { EventPlace, FeedEvent, ReportedKind } from '@svc/protocol/events/events'
import { type EventHook, HOOK_EVENTS } from '@svc/protocol/events/hooks'
import { TICKET_SECONDS } from '@svc/protocol/events/socket'
import type { IdentityTransaction, Refused } from '../identity/transaction.ts'
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
  readonly head: EventPlace
}

export type EventRefusal = { readonly reason: 'too_many_waiting' }
export type TicketRefusal = { readonly reason: 'too_many_tickets' }
export interface TicketIssued {
  readonly did: string
  readonly expiresAt: number
}
export type TicketAnswer = Result<TicketIssued, Refused | TicketRefusal>
export type EventAnswer = Result<EventReading, Refused | EventRefusal>

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

  removeHook(hookId: string): EventHook | null {
    const { events, stored } = this.#transaction
    return stored.transact(() => {
      const hook = events.hooks.find(hookId)
      if (!hook) return null
      events.hooks.remove(hookId)
      if (hook.status !== 'pending') events.add('hook.removed', hookId, Date.now())
      return hook
    })
  }

  /** The address has proved itself, which took a while: the root key must still be the current one. */
  activateHook(hookId: string, userId: string): Result<EventHook, HookRefusal> {
    const { events, stored } = this.#transaction
    if (!this.#transaction.checkKey(userId).ok) return err({ reason: 'unauthorized' })
    return stored.transact((): Result<EventHook, HookRefusal> => {
      const hook = events.hooks.find(hookId)
      if (!hook) return err({ reason: 'not_found' })
      if (hook.status === 'active') return ok(hook)
      events.hooks.activate(hookId)
      events.add('hook.added', hookId, Date.now())
      return ok({ ...hook, ...events.hooks.find(hookId) })
    })
  }

  /** What is to be sent now. A hook with nothing to tell waits for the next event. */
  due(now: number): { readonly hook: DueHook; readonly reading: EventReading }[] {
    const { events, stored } = this.#transaction
    const identity = this.#transaction.read()
    if (!identity) return []
    return stored.transact(() =>
      events.hooks.due(now).flatMap((hook) => {
        const reading = this.#page(identity.did, { after: hook.delivered, limit: HOOK_EVENTS })
        if (reading.head.sequence > hook.delivered) return [{ hook, reading }]
        events.hooks.settle(hook)
        return []
      }),
    )
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
  #page(did: string, { after, limit }: Pick<EventQuery, 'after' | 'limit'>): EventReading {
    const { events } = this.#transaction
    const head = events.head()
    const missed = Math.max(0, Math.min(events.oldest() - 1, head.sequence) - after)
    return { did, events: events.after(after, limit), missed, head }
  }
}

/** The number of the last event that a page accounts for. */
export function lastOf({ events, missed }: EventReading, { delivered }: DueHook): number {
  return events.at(-1)?.sequence ?? delivered + missed
}
