import { eventTicketSchema, eventWakeSchema, PING, PONG, protocolsWith, SOCKET_CLOSED } from '#protocol/events/socket'
import type { Transport } from '../transport/transport.ts'

/** What is used of a WebSocket. */
export interface ClientSocket {
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: object) => void): void
  send(text: string): void
  close(): void
}

/** The runtime's `WebSocket`, or a class like it. */
export type SocketClass = new (url: string, protocols: string[]) => ClientSocket

export interface SocketParts {
  readonly transport: Transport
  readonly core: string
  readonly SocketClass: SocketClass
  /** At least 0 and less than 1. */
  readonly random: () => number
}

/** However quiet the socket is: it is not signed, and may have lost a message. */
export const MAX_QUIET_MS = 300_000
/** Between two looks that a socket asked for in vain. */
const IN_VAIN_MS = 1000
/** A connection on which nothing comes in this time, not even the answer to a ping, is broken. */
const PING_MS = 45_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 300_000
/** A connection that lasted this long was a good one. */
const GOOD_MS = 60_000
/** What a runtime says of a connection that broke. */
const BROKEN = 1006

/** How long to wait before connecting again, in ms; null for never. */
export function pauseAfter(code: number, failures: number, random: number): number | null {
  if (code === SOCKET_CLOSED.misused || code === SOCKET_CLOSED.refused) return null
  // Others have taken the place; they may be gone later.
  if (code === SOCKET_CLOSED.displaced) return LONGEST_PAUSE_MS * (1 + random)
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + random / 2)
}

/**
 * Keeps a WebSocket of the event feed open, with a ticket for each, as long as it is watched. Nobody signs what it says,
 * so it only decides when to read.
 */
export class EventSocket {
  readonly #parts: SocketParts
  readonly #ended = new AbortController()
  #socket: ClientSocket | null = null
  #isOpen = false
  /** The newest number that the socket told; null if there is none that was not looked at. */
  #head: number | null = null
  #wake: () => void = () => {}
  #seen = -1

  constructor(parts: SocketParts) {
    this.#parts = parts
    // Ended by the signal of the client, or with the watching: reading says so.
    void this.#keepOpen().catch(() => this.close())
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Until there may be events after this number, or the socket is lost, but no longer than five minutes. */
  async changed(sequence: number): Promise<void> {
    if (sequence === this.#seen) await this.#pause(IN_VAIN_MS)
    this.#seen = sequence
    const woken = new AbortController()
    this.#wake = () => {
      const isNews = this.#head !== null && this.#head !== sequence
      if (isNews || !this.#isOpen) woken.abort()
    }
    this.#wake()
    await this.#pause(MAX_QUIET_MS, woken.signal).catch((error: unknown) => {
      if (!woken.signal.aborted) throw error
    })
    this.#head = null
  }

  close(): void {
    this.#ended.abort()
    this.#lost()
  }

  async #keepOpen(): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const startedAt = this.#parts.transport.now()
      const code = await this.#connection().catch(() => BROKEN)
      this.#lost()
      if (this.#parts.transport.now() - startedAt >= GOOD_MS) failures = 0
      const pause = this.#ended.signal.aborted ? null : pauseAfter(code, failures, this.#parts.random())
      if (pause === null) return
      await this.#pause(pause, this.#ended.signal)
    }
  }

  /** One connection, from its ticket to its end. Returns the code that it was closed with. */
  async #connection(): Promise<number> {
    const { transport, core, SocketClass } = this.#parts
    const call = { method: 'POST', url: `${core}/api/events/tickets`, audience: 'chain' } as const
    const { ticket } = await transport.data(call, eventTicketSchema)
    this.#ended.signal.throwIfAborted()
    const socket = new SocketClass(`${core.replace(/^http/, 'ws')}/api/events/socket`, protocolsWith(ticket))
    this.#socket = socket
    const over = new AbortController()
    const { promise, resolve } = Promise.withResolvers<number>()
    let isHeard = false
    socket.addEventListener('open', () => {
      isHeard = true
      this.#isOpen = true
    })
    socket.addEventListener('message', (event) => {
      const { data } = event as { readonly data?: unknown }
      isHeard = true
      if (data !== PONG) this.#told(data)
    })
    socket.addEventListener('error', () => resolve(BROKEN))
    socket.addEventListener('close', (event) => resolve((event as { readonly code?: number }).code ?? BROKEN))
    const either = AbortSignal.any([over.signal, this.#ended.signal])
    const beat = async () => {
      for (; ; socket.send(PING)) {
        await this.#pause(PING_MS, either)
        if (!isHeard) return BROKEN
        isHeard = false
      }
    }
    try {
      return await Promise.race([promise, beat()])
    } finally {
      over.abort()
    }
  }

  /** A message that does not read as one is a reason to look, too. */
  #told(data: unknown): void {
    try {
      this.#head = eventWakeSchema.parse(JSON.parse(String(data))).head
    } catch {
      this.#head = -1
    }
    this.#wake()
  }

  #lost(): void {
    this.#isOpen = false
    this.#socket?.close()
    this.#socket = null
    this.#wake()
  }

  /** Ends with the signal of the client, too. */
  #pause(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#parts.transport.pause(ms, signal)
  }
}
