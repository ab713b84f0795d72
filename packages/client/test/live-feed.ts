/** Core, as far as it has an event feed to which events are added while somebody watches, with WebSockets. */
import type { FeedEvent } from '@svc/protocol/events/events'
import { following } from '@svc/protocol/events/page-fault'
import { ticketOf } from '@svc/protocol/events/socket'
import { Client } from '../src/client.ts'
import type { ClientOptions } from '../src/client-options.ts'
import type { SocketClass } from '../src/events/socket.ts'
import { headOf, pageOf } from './feed.ts'
import { fetchOf } from './fetch.ts'
import { data, NOW, signedBy } from './lies/situation.ts'
import { REALM } from './realm.ts'
import { alice, mallory } from './sides.ts'

const TICKET = ticketOf(alice.did, 'S'.repeat(43))

/** A socket of a client, which the test speaks for. */
export class FakeSocket {
  readonly url: string
  readonly protocols: readonly string[]
  readonly sent: string[] = []
  isClosed = false
  readonly #listeners = new Map<string, (event: object) => void>()

  constructor(url: string, protocols: readonly string[]) {
    this.url = url
    this.protocols = protocols
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.set(type, listener)
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.isClosed = true
  }

  tell(type: 'open' | 'message' | 'error' | 'close', event: object = {}): void {
    this.#listeners.get(type)?.(event)
  }
}

/** Pauses of a client, which end when the test says so. */
export class Pauses {
  readonly asked: number[] = []
  readonly #open = new Map<() => void, number>()

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      this.asked.push(ms)
      this.#open.set(resolve, ms)
      const stop = () => {
        this.#open.delete(resolve)
        reject(signal?.reason as Error)
      }
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })

  /** Those that wait now, in ms. */
  get open(): number[] {
    return [...this.#open.values()]
  }

  end(ms: number): void {
    for (const [resolve, length] of this.#open) {
      if (length !== ms) continue
      this.#open.delete(resolve)
      resolve()
    }
  }
}

export class LiveFeed {
  readonly events: FeedEvent[] = []
  /** Every read: its cursor, and whether it was to wait. */
  readonly asked: string[] = []
  readonly urls: string[] = []
  readonly sockets: FakeSocket[] = []
  readonly pauses = new Pauses()
  /** The status of tickets. */
  tickets = 200
  #added = Promise.withResolvers<void>()

  get socket(): FakeSocket {
    const last = this.sockets.at(-1)
    if (!last) throw new Error('no socket')
    return last
  }

  add(): void {
    const act = { kind: 'hold.placed', ref: 'root', at: NOW }
    this.events.push(following(headOf(this.events), act).event)
    this.#added.resolve()
    this.#added = Promise.withResolvers<void>()
  }

  readonly fetch = fetchOf(async ({ url, signal }) => {
    this.urls.push(url)
    if (url.endsWith('/api/events/tickets')) {
      if (this.tickets === 200) return Response.json(data({ ticket: TICKET, expiresAt: NOW }))
      return Response.json({ success: false, error: 'not_found', message: 'none' }, { status: this.tickets })
    }
    const { searchParams } = new URL(url)
    const after = Number(searchParams.get('cursor'))
    const waits = searchParams.has('wait')
    this.asked.push(`${after}${waits ? ' waits' : ''}`)
    if (waits && this.events.length <= after) await Promise.race([this.#added.promise, aborted(signal)])
    return this.#page(after)
  })

  clientOf(options: Partial<ClientOptions> = {}): Client {
    const { sockets, pauses, fetch } = this
    class Socket extends FakeSocket {
      constructor(url: string, protocols: readonly string[]) {
        super(url, protocols)
        sockets.push(this)
      }
    }
    return new Client({
      core: REALM,
      did: REALM,
      identity: alice,
      receiptKeyB64u: mallory.publicKeyB64u,
      fetch,
      WebSocket: Socket satisfies SocketClass,
      sleep: pauses.sleep,
      random: () => 0.5,
      now: () => NOW,
      ...options,
    })
  }

  async #page(after: number): Promise<Response> {
    const page = pageOf(alice.did, this.events, { after })
    return Response.json(data({ ...(await signedBy(mallory, page)), publicKeyB64u: mallory.publicKeyB64u }))
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
