import type { AssertionRequest } from '@svc/assertion'
import type { Realms } from '@svc/protocol/base/realm'
import { type PendingChange, pendingMember } from '@svc/protocol/chain/pending'
import * as z from 'zod'
import { readAnswer } from '../verification/read-answer.ts'
import { type OnPending, PendingWatch } from './pending-watch.ts'
import { ServiceError } from './service-error.ts'

/** Clock errors of an assertion. Nothing else changes the clock. */
const CLOCK_ERRORS: ReadonlySet<string> = new Set(['assertion_expired', 'assertion_not_yet_valid'])

const successSchema = z.object({ success: z.literal(true), data: z.unknown() })

/** Makes assertions: an identity, or a device of one. */
export interface Asserter {
  assertion(request: AssertionRequest): Promise<string>
}

export interface TransportOptions {
  /** The deployment that statements are signed for; its discovery document names it. */
  readonly realm: string
  /** Further realms whose statements are accepted, such as one that the deployment had before it moved. */
  readonly acceptedRealms?: readonly string[]
  /** Sends requests; defaults to the runtime's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Epoch milliseconds; defaults to the runtime's clock. */
  readonly now?: () => number
  /** Sent as `Origin`, which some services require even from programs. Browsers send their own. */
  readonly origin?: string
  /** Told when an answer shows that somebody wants to replace or end this identity's root key. */
  readonly onPending?: OnPending
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
  /** Sent unchanged as `application/octet-stream`. */
  readonly bytes?: Uint8Array
  readonly accept?: string
  /** Additional headers, such as the token of an offer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests, each with its own assertion if it needs one, and turns error answers into `ServiceError`. */
export class Transport {
  /** What core's answers show to be pending for the caller's identity. */
  readonly pending: PendingWatch
  readonly #options: TransportOptions
  readonly #asserter: Asserter | undefined
  /**
   * Correction of the local clock for assertions to one origin, learned from that origin only. Statements use the
   * local clock: a host that could change it would get a statement that outlives every later one.
   */
  readonly #clockOffsets = new Map<string, number>()
  /** Where services said they moved to, by the origin asked. */
  readonly #movedTo = new Map<string, string>()

  constructor(options: TransportOptions, asserter?: Asserter) {
    this.#options = options
    this.pending = new PendingWatch(options.onPending)
    this.#asserter = asserter
  }

  /** What statements are signed for. */
  get realm(): string {
    return this.#options.realm
  }

  /** What statements of others must be for. */
  get realms(): Realms {
    return [this.#options.realm, ...(this.#options.acceptedRealms ?? [])]
  }

  /** The local clock, epoch milliseconds. */
  now(): number {
    return (this.#options.now ?? Date.now)()
  }

  /** The parsed body of a success. Throws if it does not match the schema; members that this SDK does not know are kept. */
  async json<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    const response = await this.send(call)
    return readAnswer(schema, await response.json())
  }

  /** The `data` of a success envelope. */
  async data<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    const response = await this.send(call)
    const { data } = readAnswer(successSchema, await response.json())
    const answer = readAnswer(schema, data)
    if (call.audience !== undefined && tellsPending(schema)) this.pending.see(pendingOf(data))
    return answer
  }

  /** A response with a success status. Corrects a wrong clock once; any other error throws `ServiceError`. */
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
   * One request and its answer, whatever its status. A redirect of a read from an alias to the canonical host is
   * followed once, with a new assertion, and later calls go there directly.
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
    // By hand: an assertion is for one address, and `fetch` makes no new one when it follows a redirect.
    const init = { method: call.method, headers, redirect: 'manual', ...(body ? { body } : {}) } as const
    const request = new Request(call.url, init)
    if (call.audience !== undefined) {
      request.headers.set('authorization', await this.#assertion(request, call.audience, body))
    }
    return (this.#options.fetch ?? fetch)(request)
  }

  /** Bound to the URL as the request has it: the runtime has normalized host case, default ports and escapes by now. */
  async #assertion({ method, url }: Request, audience: string, body: Uint8Array | undefined): Promise<string> {
    if (!this.#asserter) throw new TypeError('This call needs an identity: pass `identity` or `device` to the client')
    const now = this.now() + (this.#clockOffsets.get(new URL(url).origin) ?? 0)
    return this.#asserter.assertion({ audience, method, url, body, now })
  }
}

/** Whether answers of this form tell what is pending; without the member, nothing is. */
function tellsPending(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && 'pending' in schema.shape
}

function pendingOf(data: unknown): PendingChange | null {
  const { pending } = z.object(pendingMember).parse(data)
  return pending ?? null
}

/** The origin of the same path on another host. Anything else is not a move of the service, and TLS is never dropped. */
function movedOrigin(url: string, location: string | null): string | null {
  if (location === null || !URL.canParse(location)) return null
  const [asked, target] = [new URL(url), new URL(location)]
  const isSamePath = target.pathname === asked.pathname && target.search === asked.search
  const isAsSafe = target.protocol === 'https:' || target.protocol === asked.protocol
  return isSamePath && isAsSafe && target.origin !== asked.origin ? target.origin : null
}

/** Browsers tell a program that it was redirected, but not where to. */
function movedSomewhere(): ServiceError {
  const message = 'The service has moved: set the address that its documentation names'
  return new ServiceError(301, { success: false, error: 'moved', message }, new Headers())
}

async function refusalOf(response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => null)
  return new ServiceError(response.status, body, response.headers)
}
