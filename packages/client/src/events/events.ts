import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyStatement } from '@svc/protocol/base/statement'
import {
  type EventPage,
  type EventPlace,
  type FeedEvent,
  type FeedFault,
  feedEventHash,
  MAX_EVENT_WAIT_SECONDS,
  NO_EVENT_HASH,
  pageFault,
  type SignedEventPage,
  signedEventPageSchema,
} from '@svc/protocol/events/events'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

export interface EventOptions {
  /** `place` of what was read last; default: from the beginning. */
  readonly after?: EventPlace
  /** Events in a page: 1 to 100, default 50. */
  readonly limit?: number
}

/** One verified page of the feed. */
export interface EventNews {
  readonly events: readonly FeedEvent[]
  /** Events before these that core has deleted. */
  readonly missed: number
  /** Where the next page continues. Store it: core must continue from here, or it is found out. */
  readonly place: EventPlace
  /** How many events there have been. */
  readonly total: number
  /** As signed by core. */
  readonly signed: SignedEventPage
}

export const BEGINNING: EventPlace = { sequence: 0, hash: NO_EVENT_HASH }

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
  readonly #url: string
  readonly #did: string
  readonly #keyOf: (page: SignedEventPage) => string | undefined

  /** `keyOf` is the trusted key for a page; undefined if none is known. */
  constructor(
    transport: Transport,
    core: string,
    owner: { readonly did: string },
    keyOf: (page: SignedEventPage) => string | undefined,
  ) {
    this.#transport = transport
    this.#url = `${core}/api/events`
    this.#did = owner.did
    this.#keyOf = keyOf
  }

  /**
   * One page, verified: signed by core, without a gap, and continuing what was read before. With `waitSeconds` (at most
   * 25), an answer without events comes only after that time.
   */
  async read(options: EventOptions & { readonly waitSeconds?: number } = {}): Promise<EventNews> {
    const { after = BEGINNING, limit, waitSeconds } = options
    const query = new URLSearchParams({ cursor: String(after.sequence) })
    if (limit !== undefined) query.set('limit', String(limit))
    if (waitSeconds !== undefined) query.set('wait', String(waitSeconds))
    const call = { method: 'GET', url: `${this.#url}?${query.toString()}`, audience: 'chain' } as const
    const signed = await this.#transport.data(call, signedEventPageSchema)
    await this.#check(signed, after)
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
   * The same, and then what happens from now on, by requests that wait. It does not end: leave the loop, or end it with
   * `client.with({ signal })`.
   */
  async *watch(options: EventOptions = {}): AsyncGenerator<EventNews> {
    for (let { after = BEGINNING } = options; ; ) {
      const news = await this.read({ ...options, after, waitSeconds: MAX_EVENT_WAIT_SECONDS })
      if (news.events.length > 0 || news.missed > 0) yield news
      after = news.place
    }
  }

  async #check(signed: SignedEventPage, after: EventPlace): Promise<void> {
    const key = this.#keyOf(signed) ?? signed.publicKeyB64u
    if (!(await verifyStatement(signed, bytesOf(key), this.#transport.realms)))
      throw unverified('events', 'invalid_signature', 'Core did not sign the page of events', { evidence: signed })
    if (signed.statement.did !== this.#did)
      throw unverified('events', 'wrong_identity', 'The events are of another identity', { evidence: signed })
    const fault = pageFault(signed.statement, after)
    if (!fault) return
    const [reason, message] = REASONS[fault]
    throw unverified('events', reason, message, { evidence: { after, received: signed } })
  }
}

function placeAfter({ events, missed, head }: EventPage, after: EventPlace): EventPlace {
  const last = events.at(-1)
  if (last) return { sequence: last.sequence, hash: feedEventHash(last) }
  return missed > 0 ? head : after
}
