import type { AssertionRequest } from '@svc/assertion'
import * as z from 'zod'
import { ServiceError } from './service-error.ts'

/** Refusals of an assertion for its times. Nothing else moves a clock. */
const CLOCK_ERRORS: ReadonlySet<string> = new Set(['assertion_expired', 'assertion_not_yet_valid'])

const successSchema = z.object({ success: z.literal(true), data: z.unknown() })

/** Whoever can make assertions: an identity, or a device of one. */
export interface Asserter {
  assertion(request: AssertionRequest): Promise<string>
}

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
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** Makes and sends an assertion for this audience. */
  readonly audience?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as they are, as `application/octet-stream`. */
  readonly bytes?: Uint8Array
  readonly accept?: string
  /** Besides what the transport sends: the token of an offer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests, each with an assertion of its own when it needs one, and turns refusals into `ServiceError`. */
export class Transport {
  readonly #options: TransportOptions
  readonly #asserter: Asserter | undefined
  /**
   * What to add to the local clock for assertions to one origin, learnt from that origin alone. Statements are dated
   * by the local clock: a host that could move it would get one that outlives every later one.
   */
  readonly #clockOffsets = new Map<string, number>()
  /** Where services have said that they are now, by the origin that was asked. */
  readonly #movedTo = new Map<string, string>()

  constructor(options: TransportOptions, asserter?: Asserter) {
    this.#options = options
    this.#asserter = asserter
  }

  /** The local clock, epoch milliseconds. */
  now(): number {
    return (this.#options.now ?? Date.now)()
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
    if (refusal.serverTime === undefined || !CLOCK_ERRORS.has(refusal.error)) throw refusal
    this.#clockOffsets.set(new URL(call.url).origin, refusal.serverTime - this.now())
    const second = await this.exchange(call)
    if (second.ok) return second
    throw await refusalOf(second)
  }

  /**
   * One request and its answer, whatever its status. A compatibility redirect (document 1 section 7) of a read is
   * followed once, with an assertion of its own, and later calls go there at once.
   */
  async exchange(call: Call): Promise<Response> {
    const { origin } = new URL(call.url)
    const response = await this.#send(this.#placed(call))
    const kind: string = response.type
    if (kind === 'opaqueredirect') throw movedSomewhere()
    if (response.status !== 301 || (call.method !== 'GET' && call.method !== 'HEAD') || this.#movedTo.has(origin)) {
      return response
    }
    const target = movedOrigin(call.url, response.headers.get('location'))
    if (target === null) return response
    await response.body?.cancel()
    this.#movedTo.set(origin, target)
    return this.#send(this.#placed(call))
  }

  #placed(call: Call): Call {
    const url = new URL(call.url)
    const target = this.#movedTo.get(url.origin)
    return target === undefined ? call : { ...call, url: target + url.pathname + url.search }
  }

  async #send(call: Call): Promise<Response> {
    const json = call.body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(call.body))
    const body = json ?? (call.bytes && new Uint8Array(call.bytes))
    const headers = new Headers(this.#options.headers)
    if (this.#options.origin !== undefined) headers.set('origin', this.#options.origin)
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    if (body) headers.set('content-type', json ? 'application/json' : 'application/octet-stream')
    if (call.accept !== undefined) headers.set('accept', call.accept)
    // By hand: an assertion is for one address, and no runtime's way of following makes another.
    const init = { method: call.method, headers, redirect: 'manual', ...(body ? { body } : {}) } as const
    const request = new Request(call.url, init)
    if (call.audience !== undefined) {
      request.headers.set('authorization', await this.#assertion(request, call.audience, body))
    }
    return (this.#options.fetch ?? fetch)(request)
  }

  /** Bound to the URL as the request has it: case of the host, default ports and escapes are the runtime's by now. */
  async #assertion({ method, url }: Request, audience: string, body: Uint8Array | undefined): Promise<string> {
    if (!this.#asserter) throw new TypeError('this call needs an identity')
    const now = this.now() + (this.#clockOffsets.get(new URL(url).origin) ?? 0)
    return this.#asserter.assertion({ audience, method, url, body, now })
  }
}

/** The origin of the same path elsewhere. Anything else is no move of the service, and neither is the way out of TLS. */
function movedOrigin(url: string, location: string | null): string | null {
  if (location === null || !URL.canParse(location)) return null
  const [asked, target] = [new URL(url), new URL(location)]
  const isSamePath = target.pathname === asked.pathname && target.search === asked.search
  const isAsSafe = target.protocol === 'https:' || target.protocol === asked.protocol
  return isSamePath && isAsSafe && target.origin !== asked.origin ? target.origin : null
}

/** Browsers show programs that they were redirected, and not where to. */
function movedSomewhere(): ServiceError {
  const message = 'The service has moved: set the address that its documentation names'
  return new ServiceError(301, { success: false, error: 'moved', message }, new Headers())
}

async function refusalOf(response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => null)
  return new ServiceError(response.status, body, response.headers)
}
