import type { Alarm } from '@svc/objects'
import { MAX_EVENT_SOCKETS, PING, PONG, SOCKET_CLOSED, SOCKET_HOURS } from '@svc/protocol/events/socket'
import type { Listener } from './tickets.ts'

const LIVES_MS = SOCKET_HOURS * 3_600_000

/** What stays with a socket while its object sleeps. */
interface Attached extends Listener {
  readonly openedAt: number
}

export interface SocketFeed {
  /** The number of the newest event. */
  readonly head: () => number
  readonly mayListen: (listener: Listener) => boolean
}

/**
 * The open WebSockets of one identity. The runtime holds them, so that the object may sleep. What is sent only says that
 * there is something to read, and the output gate holds it back until that is durable.
 */
export class EventSockets {
  readonly #ctx: DurableObjectState
  readonly #alarm: Alarm
  readonly #feed: SocketFeed
  #isTelling = false

  constructor(ctx: DurableObjectState, alarm: Alarm, feed: SocketFeed) {
    this.#ctx = ctx
    this.#alarm = alarm
    this.#feed = feed
  }

  /** The client's end of a new socket. It is told at once where the feed is. */
  open(listener: Listener, now: number): WebSocket {
    this.#makeRoom()
    const { 0: client, 1: server } = new WebSocketPair()
    // Answered by the runtime while the object sleeps.
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
    this.#ctx.acceptWebSocket(server)
    server.serializeAttachment({ ...listener, openedAt: now } satisfies Attached)
    this.#send(server)
    void this.#alarm.by(now + LIVES_MS)
    return client
  }

  /** Inside a transaction: it is told once that is over, and once for all events of it. */
  tellSoon(): void {
    if (this.#isTelling || this.#all().length === 0) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      this.tell(Date.now())
    })
  }

  /** Tells those that may still listen, and closes the others. */
  tell(now: number): void {
    for (const socket of this.#all()) {
      const attached = attachedTo(socket)
      if (!this.#feed.mayListen(attached)) socket.close(SOCKET_CLOSED.refused, 'This key may not read the feed')
      else if (attached.openedAt + LIVES_MS <= now) socket.close(SOCKET_CLOSED.expired, 'Connect again')
      else this.#send(socket)
    }
  }

  /** A client has nothing to say; the runtime has answered its pings. */
  misused(socket: WebSocket): void {
    if (socket.readyState === WebSocket.OPEN) socket.close(SOCKET_CLOSED.misused, 'Send nothing but ping')
  }

  /** By an alarm: closes those that were open for a day, and asks for the next alarm. */
  closeOld(now: number): void {
    const ends: number[] = []
    for (const socket of this.#all()) {
      const end = attachedTo(socket).openedAt + LIVES_MS
      if (end <= now) socket.close(SOCKET_CLOSED.expired, 'Connect again')
      else ends.push(end)
    }
    if (ends.length > 0) void this.#alarm.by(Math.min(...ends))
  }

  /** The oldest socket of the key that has most of them gives way: no key takes those of the others. */
  #makeRoom(): void {
    const open = this.#all().toSorted((a, b) => attachedTo(a).openedAt - attachedTo(b).openedAt)
    if (open.length < MAX_EVENT_SOCKETS) return
    const bySigner = [...Map.groupBy(open, (socket) => attachedTo(socket).signer).values()]
    const most = Math.max(...bySigner.map(({ length }) => length))
    const displaced = open.find((socket) => bySigner.some((own) => own.length === most && own.includes(socket)))
    displaced?.close(SOCKET_CLOSED.displaced, 'The identity has newer ones')
  }

  #send(socket: WebSocket): void {
    socket.send(JSON.stringify({ head: this.#feed.head() }))
  }

  #all(): WebSocket[] {
    return this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
  }
}

function attachedTo(socket: WebSocket): Attached {
  return socket.deserializeAttachment() as Attached
}
