import type { VerifiedAssertion } from '@svc/assertion'
import { VersionedObject } from '@svc/objects'
import { IdentityTransaction } from '../identity/transaction.ts'
import { keyDirectoryOf } from '../rotation/update-courier.ts'
import { type EventAnswer, type EventQuery, EventTransaction, type Report } from './transaction.ts'

/** The part of an identity's object that is its event feed. */
export abstract class EventObject extends VersionedObject<Env> {
  /** A property of the instance, like `stored`: it cannot be reached over RPC. */
  readonly transaction: IdentityTransaction
  readonly #events: EventTransaction

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.transaction = new IdentityTransaction(this.stored, { hasDirectory: keyDirectoryOf(env) !== null })
    this.#events = new EventTransaction(this.transaction)
  }

  events(assertion: VerifiedAssertion, query: EventQuery): Promise<EventAnswer> {
    return this.#events.read(assertion, query)
  }

  reportEvents(reports: readonly Report[]): void {
    this.#events.report(reports)
  }
}
