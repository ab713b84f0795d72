import type { VerifiedAssertion } from '@svc/assertion'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Result } from '@svc/protocol/base/result'
import type { AddressRules, EventHook } from '@svc/protocol/events/hooks'
import { oncePerEnv, readConfig, signerOf } from '@svc/service'
import { RecordedObject } from '@svc/service/recorded-object'
import { configSchema, rotationTimesOf } from '../env.ts'
import { IdentityTransaction } from '../identity/transaction.ts'
import { keyDirectoryOf } from '../rotation/updates/courier.ts'
import { addressRulesOf } from './address-rules.ts'
import { deliverPages } from './hook-courier.ts'
import type { HookRefusal } from './hooks.ts'
import { EventSockets } from './sockets.ts'
import { TICKET_HASH_HEADER } from './tickets.ts'
import { type EventAnswer, type EventQuery, EventTransaction, type Report, type TicketAnswer } from './transaction.ts'

/** Read once per isolate, because every response to an owner needs the times. */
const timesOf = oncePerEnv((env: Env) => rotationTimesOf(readConfig(configSchema, env)))

/** The part of an identity's object that is its event feed. */
export abstract class EventObject extends RecordedObject<Env> {
  // Properties of the instance, like `stored`: they cannot be reached over RPC.
  readonly transaction: IdentityTransaction
  readonly sockets: EventSockets
  /** By the alarm, which then sets the next one; one delivery at a time to each address. */
  readonly deliver = async (): Promise<void> => {
    this.#signer ??= signerOf(this.env, { service: 'core', use: 'receipt' })
    this.#rules ??= addressRulesOf(readConfig(configSchema, this.env))
    await deliverPages(this.#events, this.#signer, this.#rules)
  }
  readonly #events: EventTransaction
  #signer: DeploymentSigner | undefined
  #rules: AddressRules | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.transaction = new IdentityTransaction(this.stored, {
      hasDirectory: keyDirectoryOf(env) !== null,
      times: () => timesOf(env),
    })
    this.#events = new EventTransaction(this.transaction)
    const { events } = this.transaction
    this.sockets = new EventSockets(ctx, this.stored.alarm, {
      head: () => events.head().sequence,
      mayListen: (listener) => this.#events.mayListen(listener),
    })
    events.onEvent(() => this.sockets.tellSoon())
    events.onEvent(() => this.#wakeSoon())
  }

  events(assertion: VerifiedAssertion, query: EventQuery): Promise<EventAnswer> {
    return this.#events.read(assertion, query)
  }

  reportEvents(reports: readonly Report[]): void {
    this.#events.report(reports)
  }

  issueTicket(assertion: VerifiedAssertion, secretHash: string): TicketAnswer {
    return this.#events.issueTicket(assertion, secretHash)
  }

  addHook(hookId: string, url: string): EventHook | null {
    return this.#keptAwake(this.#events.addHook(hookId, url))
  }

  hooks(): EventHook[] {
    return this.#events.hooks()
  }

  removeHook(hookId: string): EventHook | null {
    return this.#events.removeHook(hookId)
  }

  activateHook(hookId: string, userId: string): Result<EventHook, HookRefusal> {
    return this.#events.activateHook(hookId, userId)
  }

  /** Inside a transaction: the alarm is set once that is over, and is as durable as the event. Whatever waits has an event. */
  #wakeSoon(): void {
    queueMicrotask(() => this.transaction.keepAlarm())
  }

  #keptAwake<T>(outcome: T): T {
    this.transaction.keepAlarm()
    return outcome
  }

  /** Opens a WebSocket for a ticket. Not a method, since RPC does not return a WebSocket. */
  override fetch(request: Request): Response {
    const listener = this.#events.redeem(request.headers.get(TICKET_HASH_HEADER) ?? '')
    if (!listener) return new Response(null, { status: 401 })
    const webSocket = this.sockets.open(listener, Date.now())
    return new Response(null, { status: 101, webSocket })
  }

  override webSocketMessage(socket: WebSocket): void {
    this.sockets.misused(socket)
  }

  /** The other half of the closing handshake; without it the client waits, and is then told of a broken connection. */
  override webSocketClose(socket: WebSocket): void {
    socket.close(1000)
  }
}
