import { makeAssertion } from '@svc/assertion'
import * as z from 'zod'
import type { Identity } from './identity.ts'
import { ServiceError } from './service-error.ts'

const successSchema = z.object({ success: z.literal(true), data: z.unknown() })

export interface TransportOptions {
  /** Sends requests; the runtime's `fetch` unless given. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Epoch milliseconds; the runtime's clock unless given. */
  readonly now?: () => number
  /** Sent as `Origin` where a service demands one of programs too. Browsers send their own. */
  readonly origin?: string
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** Makes and sends an assertion for this audience. */
  readonly audience?: string
  readonly body?: unknown
  /** Instead of `body`, for one that carries the time: made anew for each attempt. */
  readonly makeBody?: () => Promise<unknown>
  readonly accept?: string
}

/** Sends requests, each with an assertion of its own when it needs one, and turns refusals into `ServiceError`. */
export class Transport {
  readonly #options: TransportOptions
  readonly #identity: Identity | undefined
  /** What to add to the local clock, learnt from a service that refused an assertion for its times. */
  #clockOffsetMs = 0

  constructor(options: TransportOptions, identity?: Identity) {
    this.#options = options
    this.#identity = identity
  }

  now(): number {
    return (this.#options.now ?? Date.now)() + this.#clockOffsetMs
  }

  /** The parsed body of a success. The schema decides what the caller gets; an unexpected answer throws. */
  async json<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    const response = await this.send(call)
    return schema.parse(await response.json())
  }

  /** The `data` of a success envelope. */
  async data<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    const response = await this.send(call)
    const { data } = successSchema.parse(await response.json())
    return schema.parse(data)
  }

  /** A response with a success status. Corrects a wrong clock once; every other refusal throws `ServiceError`. */
  async send(call: Call): Promise<Response> {
    const first = await this.exchange(call)
    if (first.ok) return first
    const refusal = await refusalOf(first)
    if (refusal.serverTime === undefined || call.audience === undefined) throw refusal
    this.#clockOffsetMs += refusal.serverTime - this.now()
    const second = await this.exchange(call)
    if (second.ok) return second
    throw await refusalOf(second)
  }

  /** One request and its answer, whatever its status. */
  async exchange(call: Call): Promise<Response> {
    const content: unknown = call.makeBody ? await call.makeBody() : call.body
    const body = content === undefined ? undefined : new TextEncoder().encode(JSON.stringify(content))
    const headers = new Headers(this.#options.headers)
    if (this.#options.origin !== undefined) headers.set('origin', this.#options.origin)
    if (body) headers.set('content-type', 'application/json')
    if (call.accept !== undefined) headers.set('accept', call.accept)
    const request = new Request(call.url, { method: call.method, headers, ...(body ? { body } : {}) })
    if (call.audience !== undefined) {
      request.headers.set('authorization', await this.#assertion(request, call.audience, body))
    }
    return (this.#options.fetch ?? fetch)(request)
  }

  /** Bound to the URL as the request has it: case of the host, default ports and escapes are the runtime's by now. */
  async #assertion({ method, url }: Request, audience: string, body: Uint8Array | undefined): Promise<string> {
    if (!this.#identity) throw new TypeError('this call needs an identity')
    return makeAssertion(this.#identity, { audience, method, url, body, now: this.now() })
  }
}

async function refusalOf(response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => null)
  return new ServiceError(response.status, body, response.headers)
}
