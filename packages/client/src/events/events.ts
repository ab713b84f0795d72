import { bytesOf } from '#protocol/base/base64url'
import { verifyStatement } from '#protocol/base/statement'
import {
  type FeedEvent,
  MAX_EVENT_PAGE,
  MAX_EVENT_WAIT_SECONDS,
  type SignedEventPage,
  signedEventPageSchema,
} from '#protocol/events/events'
import { type EventHook, eventHookSchema, eventHooksSchema } from '#protocol/events/hooks'
import { BEGINNING, type EventPlace, type FeedFault, pageFault, placeAfter } from '#protocol/events/page-fault'
import type { ClientOptions } from '../client-options.ts'
import { type TrustedKeys, trustedKeyOf } from '../discovery/trusted-keys.ts'
import { ForkError, type Piece } from '../memory/errors.ts'
import { follow, isSamePlace, refuseOlder } from '../memory/extension.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { contradictionIn, feedLog, feedName, headPiece } from './feed-log.ts'
import type { EventSocket } from './socket.ts'

export interface EventOptions {
  /** `place` of what was read last; default: from the beginning. */
  readonly after?: EventPlace
  /** Events in a page: 1 to 100, default 50. */
  readonly limit?: number
}

/** One verified page of the feed. */
export interface EventNews {
  readonly events: readonly FeedEvent[]
  /** Events since the last page that core has deleted or merged; none of those that decide who holds the identity. */
  readonly missed: number
  /** Where the next page continues. Store it: core must continue from here, or it is found out. */
  readonly place: EventPlace
  /** How many events there have been. */
  readonly total: number
  /** As signed by core. */
  readonly signed: SignedEventPage
}

export interface EventParts {
  readonly transport: Transport
  readonly core: string
  readonly owner: { readonly did: string }
  readonly receiptKeys: TrustedKeys
  readonly memory: KnownLogs
  /** How to connect, and how not to. */
  readonly options: Pick<ClientOptions, 'WebSocket' | 'fetch' | 'random'>
}

const REASONS = {
  other_cursor: ['different_answer', 'Core answered for another cursor'],
  gap: ['left_out', 'Events are missing from the page'],
  fork: ['fork', 'The events do not follow what was seen before'],
  rolled_back: ['rollback', 'Core has fewer events than it showed before'],
} as const satisfies Record<FeedFault, readonly [string, string]>

/** What happened to this client's identity at core, in order. Any active device can read it. */
export class Events {
  /** As a result: see `safely`. */
  readonly safeRead = safeTwin(this, 'read')

  readonly #transport: Transport
  readonly #core: string
  readonly #did: string
  readonly #receiptKeys: TrustedKeys
  readonly #memory: KnownLogs
  readonly #options: EventParts['options']

  constructor({ transport, core, owner, receiptKeys, memory, options }: EventParts) {
    this.#transport = transport
    this.#core = core
    this.#options = options
    this.#did = owner.did
    this.#receiptKeys = receiptKeys
    this.#memory = memory
  }

  /**
   * One page, verified: signed by core, without a gap in what decides, and continuing what was read before. With `waitSeconds` (at most
   * 25), an answer without events comes only after that time. Throws a `HistoryError` with both signed pages if it
   * contradicts what this client was shown before, whatever `after` is.
   */
  async read(options: EventOptions & { readonly waitSeconds?: number } = {}): Promise<EventNews> {
    const { after = BEGINNING } = options
    const known = await this.#memory.recall<Piece<SignedEventPage>>(feedName(this.#did))
    const signed = await this.#page(after, options)
    await this.#check(signed, after, known)
    const { events, missed, head } = signed.statement
    return { events, missed, place: placeAfter(signed.statement, after), total: head.sequence, signed }
  }

  /** Every page with events up to the newest event of now. */
  async *iterate(options: EventOptions = {}): AsyncGenerator<EventNews> {
    for (let { after = BEGINNING } = options; ; ) {
      const news = await this.read({ ...options, after })
      if (news.events.length > 0 || news.missed > 0) yield news
      if (news.place.sequence === news.total) return
      after = news.place
    }
  }

  /**
   * The same, and then what happens from now on. A WebSocket tells when to read, if there is one; without it, or while
   * it is broken, requests wait for events. What it says is not trusted: the pages are verified, and read every five
   * minutes in any case. It does not end: leave the loop, or end it with `client.with({ signal })`.
   */
  async *watch(options: EventOptions = {}): AsyncGenerator<EventNews> {
    const socket = await this.#socket()
    try {
      for (let { after = BEGINNING } = options; ; ) {
        const isTold = socket?.isOpen === true
        const wait = isTold ? {} : { waitSeconds: MAX_EVENT_WAIT_SECONDS }
        const news = await this.read({ ...options, after, ...wait })
        if (news.events.length > 0 || news.missed > 0) yield news
        after = news.place
        if (isTold && after.sequence === news.total) await socket.changed(after.sequence)
      }
    } finally {
      socket?.close()
    }
  }

  /**
   * Names an `https` address that is to be told of events from now on. It is told of nothing until `verifyHook` has had
   * it prove that it is this identity’s. At most 5. Root key only.
   */
  addHook(url: string): Promise<EventHook> {
    const call = { method: 'POST', url: `${this.#core}/api/events/hooks`, audience: 'chain', body: { url } } as const
    return this.#transport.data(call, eventHookSchema)
  }

  /**
   * Has core challenge the address of a hook, which must answer within 5 seconds: see `verifyDelivery`. Rejects with 409
   * `hook_not_proved` otherwise. Idempotent; also revives a hook that was disabled or deleted. Root key only.
   */
  verifyHook(hookId: string): Promise<EventHook> {
    const call = {
      method: 'POST',
      url: `${this.#core}/api/events/hooks/${hookId}/verification`,
      audience: 'chain',
    } as const
    return this.#transport.data(call, eventHookSchema)
  }

  /** The hooks of this identity, the oldest first, with what each has delivered and why it fails. */
  async hooks(): Promise<readonly EventHook[]> {
    const call = { method: 'GET', url: `${this.#core}/api/events/hooks`, audience: 'chain' } as const
    return (await this.#transport.data(call, eventHooksSchema)).hooks
  }

  /**
   * Deletes a hook and returns it. Its address gets a last page that ends with `hook.removed`. While a device has
   * standing, a hook that was active for one window goes on until `removesAt`, and `verifyHook` keeps it. Root key only.
   */
  deleteHook(hookId: string): Promise<EventHook> {
    const call = { method: 'DELETE', url: `${this.#core}/api/events/hooks/${hookId}`, audience: 'chain' } as const
    return this.#transport.data(call, eventHookSchema)
  }

  /** Null if there is no WebSocket. One of the runtime would go past a `fetch` that was given. */
  async #socket(): Promise<EventSocket | null> {
    const { WebSocket: given, fetch: sender, random = Math.random } = this.#options
    const SocketClass = given ?? (given === undefined && !sender ? globalThis.WebSocket : undefined)
    if (!SocketClass) return null
    const { EventSocket: Socket } = await import('./socket.ts')
    return new Socket({ transport: this.#transport, core: this.#core, SocketClass, random })
  }

  /** A page whose signature is verified, and nothing else. */
  async #page(
    after: EventPlace,
    { limit, waitSeconds }: { readonly limit?: number; readonly waitSeconds?: number } = {},
  ): Promise<SignedEventPage> {
    await this.#receiptKeys(this.#transport.now())
    const query = new URLSearchParams({ cursor: String(after.sequence) })
    if (limit !== undefined) query.set('limit', String(limit))
    if (waitSeconds !== undefined) query.set('wait', String(waitSeconds))
    const call = { method: 'GET', url: `${this.#core}/api/events?${query.toString()}`, audience: 'chain' } as const
    const signed = await this.#transport.data(call, signedEventPageSchema)
    const key = await trustedKeyOf(signed, this.#receiptKeys, 'events')
    if (!(await verifyStatement(signed, bytesOf(key), this.#transport.realms)))
      throw unverified('events', 'invalid_signature', 'Core did not sign the page of events', { evidence: signed })
    if (signed.statement.did !== this.#did)
      throw unverified('events', 'wrong_identity', 'The events are of another identity', { evidence: signed })
    return signed
  }

  async #check(signed: SignedEventPage, after: EventPlace, known: readonly Piece<SignedEventPage>[]): Promise<void> {
    const log = feedLog(this.#did, { signed, after }, (place) => this.#page(place, { limit: MAX_EVENT_PAGE }))
    const head = headPiece(signed)
    const fault = pageFault(signed.statement, after)
    const contradiction = contradictionIn(signed, known)
    if (!fault && contradiction) throw new ForkError({ log: log.name, ...contradiction })
    if (!fault) {
      const piece = await follow(log, known, head)
      const isNew = known.length !== 1 || known.some((one) => !isSamePlace(one, piece))
      if (isNew) await this.#memory.advance(log.name, piece, known)
      return
    }
    await refuseOlder(log, known, head)
    if (contradiction) throw new ForkError({ log: log.name, ...contradiction })
    const [reason, message] = REASONS[fault]
    throw unverified('events', reason, message, { evidence: { after, received: signed } })
  }
}
