import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eventTicketSchema, protocolsWith } from '@svc/protocol/events/socket'
import type { TestCaller } from '@svc/testing'
import { expect } from 'vitest'
import { CORE, call, freshAddress, send } from '../harness.ts'

type Reader = Parameters<typeof call>[0]

export const objectOf = ({ identity }: TestCaller) => env.IDENTITIES.getByName(identity.did)

/** How many sockets of an identity are open. */
export const openSockets = (caller: TestCaller) =>
  runInDurableObject(
    objectOf(caller),
    (_, ctx) => ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  )

export async function ticketFor(caller: Reader): Promise<string> {
  const { status, body } = await call(caller, 'POST', '/api/events/tickets')
  expect(status).toBe(200)
  return eventTicketSchema.parse(body['data']).ticket
}

/** One request to open a socket. */
export function ask(
  ticket: string | null,
  headers: Readonly<Record<string, string>> = {},
  fetch: (request: Request) => Promise<Response> = send,
): Promise<Response> {
  const offered = ticket === null ? {} : { 'sec-websocket-protocol': protocolsWith(ticket).join(', ') }
  return fetch(
    new Request(`${CORE}/api/events/socket`, {
      headers: { upgrade: 'websocket', 'cf-connecting-ip': freshAddress(), ...offered, ...headers },
    }),
  )
}

/** The named error of a refusal. */
export async function refusal(response: Response): Promise<{ readonly status: number; readonly error: unknown }> {
  const { error } = await response.json<{ readonly error?: unknown }>()
  return { status: response.status, error }
}

export interface OpenSocket {
  readonly socket: WebSocket
  /** The texts that came and were not taken yet. */
  readonly texts: string[]
  /** Waits for the next text. */
  readonly next: () => Promise<string>
  /** The code that it was closed with. */
  readonly closed: Promise<number>
}

export function listening(socket: WebSocket): OpenSocket {
  const texts: string[] = []
  const waiting: ((text: string) => void)[] = []
  const { promise: closed, resolve } = Promise.withResolvers<number>()
  socket.addEventListener('message', ({ data }) => {
    const take = waiting.shift()
    if (take) take(String(data))
    else texts.push(String(data))
  })
  socket.addEventListener('close', ({ code }) => resolve(code))
  socket.accept()
  const next = () => {
    const text = texts.shift()
    if (text !== undefined) return Promise.resolve(text)
    const { promise, resolve: take } = Promise.withResolvers<string>()
    waiting.push(take)
    return promise
  }
  return { socket, texts, next, closed }
}

export async function opened(caller: Reader, ticket?: string): Promise<OpenSocket> {
  const { status, webSocket } = await ask(ticket ?? (await ticketFor(caller)))
  expect(status).toBe(101)
  if (!webSocket) throw new Error('no socket')
  return listening(webSocket)
}

/** A WebSocket of a client, over the Worker under test. */
export function socketsOver(fetch: (request: Request) => Promise<Response>) {
  const made: TestSocket[] = []
  class TestSocket extends EventTarget {
    readonly url: string
    readonly #opened: Promise<WebSocket | null>

    constructor(url: string, protocols: string[]) {
      super()
      this.url = url
      made.push(this)
      const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocols.join(', ') }
      const request = new Request(url.replace(/^ws/, 'http'), { headers })
      this.#opened = fetch(request).then(({ webSocket }) => webSocket)
      void this.#pass()
    }

    send(text: string): void {
      void this.#opened.then((socket) => socket?.send(text))
    }

    close(): void {
      void this.#opened.then((socket) => socket?.readyState === WebSocket.OPEN && socket.close(1000))
    }

    async #pass(): Promise<void> {
      const socket = await this.#opened
      if (!socket) return void this.dispatchEvent(new Event('error'))
      socket.addEventListener('message', ({ data }) => this.dispatchEvent(new MessageEvent('message', { data })))
      socket.addEventListener('close', ({ code }) => this.dispatchEvent(Object.assign(new Event('close'), { code })))
      socket.accept()
      this.dispatchEvent(new Event('open'))
    }
  }
  return { made, SocketClass: TestSocket }
}
