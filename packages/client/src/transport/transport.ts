import type * as z from 'zod'
import type { AssertionRequest } from '#assertion'
import type { Realms } from '#protocol/base/realm'
import { checkCall, type Members } from '../arguments/check.ts'
import { checkMirrors, type MirrorOptions } from '../mirrors/mirror-options.ts'
import type { MirroredAnswer, Mirrors } from '../mirrors/mirrors.ts'
import { once } from '../services/once.ts'
import { VerificationError } from '../verification/verification-error.ts'
import { CALL, type Call } from './call.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ConnectionError } from './connection-error.ts'
import { Deadline } from './deadline.ts'
import type { Fetch, FetchInit } from './fetch.ts'
import { guarded, MAX_ANSWER_BYTES, readAnyJson, readJson, received } from './guarded-body.ts'
import { type OnPending, PendingWatch } from './pending-watch.ts'
import { isRepeatable } from './repeatable.ts'
import { Retries, type RetryOptions, type Sleep, sleep } from './retries.ts'
import { ServiceError } from './service-error.ts'

const loadAnswers = /* @__PURE__ */ once(() => import('./answers.ts'))

/** Clock errors of an assertion. Nothing else changes the clock. */
const CLOCK_ERRORS: ReadonlySet<string> = /* @__PURE__ */ new Set(['assertion_expired', 'assertion_not_yet_valid'])

/** Added to the wait for an answer, per byte sent: 64 kB/s. */
const SENDING_MS_PER_BYTE = 1 / 64

/** Makes assertions: an identity, or a device of one. */
export interface Asserter {
  assertion(request: AssertionRequest): Promise<string>
}

export interface TransportOptions {
  /** The deployment that statements are signed for; its discovery document names it. */
  readonly realm: string
  /** Further realms whose statements are accepted, such as one that the deployment had before it moved. */
  readonly acceptedRealms?: readonly string[]
  /** Sends requests: the runtime's `fetch` by default, or a wrapper `(url, init) => fetch(url, init)`. */
  readonly fetch?: Fetch
  /** Epoch milliseconds; defaults to the runtime's clock. */
  readonly now?: () => number
  /** Sent as `Origin`, which some services require even from programs. Browsers send their own. */
  readonly origin?: string
  /** Told when an answer shows that somebody wants to replace or end this identity's root key. */
  readonly onPending?: OnPending
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How requests are sent again that a service takes once; false for never. */
  readonly retries?: RetryOptions | false
  /** Mirrors to read from while a service is down. Without them, nothing but the services is asked. */
  readonly mirrors?: MirrorOptions
  /** Ends every call; they throw the reason of the signal. */
  readonly signal?: AbortSignal
  /**
   * How long to wait without receiving anything, in ms; then the attempt ends with a `ConnectionError`. Default 60,000;
   * Infinity for as long as the runtime does. What is sent adds a second per 64 kB. An answer that comes in drops does not
   * extend it: it has this long in all, and a second for each 16 kB.
   */
  readonly timeoutMs?: number
  /** Origin of the documentation, for the address in errors. A client of `connect` knows it. */
  readonly docs?: string
  /** Waits between two attempts; for tests. */
  readonly sleep?: Sleep
  /** At least 0 and less than 1, for the length of pauses; for tests. */
  readonly random?: () => number
}

/** What a transport takes of the options of a client. */
export const TRANSPORT_OPTIONS: Members<TransportOptions> = {
  realm: 1,
  acceptedRealms: 0,
  fetch: 0,
  now: 0,
  origin: 0,
  onPending: 0,
  headers: 0,
  retries: 0,
  mirrors: 0,
  signal: 0,
  timeoutMs: 0,
  docs: 0,
  sleep: 0,
  random: 0,
}

/** What all transports of one client share. */
interface Shared {
  readonly retries: Retries
  readonly pending: PendingWatch
  /**
   * Correction of the local clock for assertions to one origin, learned from that origin only. Statements use the
   * local clock: a host that could change it would get a statement that outlives every later one.
   */
  readonly clockOffsets: Map<string, number>
  /** Where services said they moved to, by the origin asked. */
  readonly movedTo: Map<string, string>
  /** Which services are down, and which mirror answered; null for a client without mirrors. */
  readonly mirrors: (() => Promise<Mirrors>) | null
}

/** How some of a client's calls differ from the others. */
export type CallOptions = Pick<TransportOptions, 'signal' | 'timeoutMs' | 'retries'>

/** Sends requests, each with its own assertion if it needs one, and turns error answers into `ServiceError`. */
export class Transport {
  readonly #options: TransportOptions
  readonly #asserter: Asserter | undefined
  readonly #shared: Shared

  constructor(options: TransportOptions, asserter?: Asserter, shared?: Shared) {
    checkCall('new Transport', [options, asserter, shared], [['options', TRANSPORT_OPTIONS], 'asserter?', 'shared?'])
    this.#options = checked(options)
    this.#asserter = asserter
    this.#shared = shared ?? {
      retries: new Retries(options.retries, options.random),
      pending: new PendingWatch(options.onPending),
      clockOffsets: new Map(),
      movedTo: new Map(),
      mirrors: mirrorsOf(options.mirrors),
    }
  }

  /** The same connection with other options; `signal` comes in addition to the one before. */
  with(options: CallOptions): Transport {
    checkCall('transport.with', [options], [['options', { signal: 0, timeoutMs: 0, retries: 0 }]])
    const { signal: outer, random } = this.#options
    const { signal = outer, retries } = options
    const both = signal && outer && signal !== outer ? AbortSignal.any([outer, signal]) : signal
    const shared = retries === undefined ? this.#shared : { ...this.#shared, retries: new Retries(retries, random) }
    return new Transport({ ...this.#options, ...options, ...(both && { signal: both }) }, this.#asserter, shared)
  }

  /** What core's answers show to be pending for the caller's identity. */
  get pending(): PendingWatch {
    return this.#shared.pending
  }

  /** Whether mirrors may be asked while a service is down. */
  get hasMirrors(): boolean {
    return this.#shared.mirrors !== null
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
    checkCall('transport.json', [call, schema], [['call', CALL], 'schema'])
    const [answered, { readAnswer }] = await Promise.all([this.#read(call), loadAnswers()])
    return answered.marked(readAnswer(schema, await readJson(answered.response, addressOf(call))))
  }

  /** The `data` of a success envelope. */
  async data<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    checkCall('transport.data', [call, schema], [['call', CALL], 'schema'])
    const [answered, { readData }] = await Promise.all([this.#read(call), loadAnswers()])
    const { data, pending } = readData(schema, await readJson(answered.response, addressOf(call)))
    if (call.audience !== undefined && pending !== undefined) this.pending.see(pending)
    return answered.marked(data)
  }

  /** The answer to a read, of a mirror if the service is down and the call allows it. */
  async #read(call: Call): Promise<Pick<MirroredAnswer, 'response'> & { readonly marked: <T>(answer: T) => T }> {
    const mirrors = call.isMirrored === true ? await this.#shared.mirrors?.() : undefined
    if (!mirrors) return { response: await this.send(call), marked: (answer) => answer }
    const answered = await mirrors.read(
      call,
      (one) => this.send(one),
      () => this.now(),
    )
    return { response: answered.response, marked: (answer) => mirrors.marked(answer, answered) }
  }

  /** A response with a success status. Corrects a wrong clock once; any other error throws `ServiceError`. */
  async send(call: Call): Promise<Response> {
    checkCall('transport.send', [call], [['call', CALL]])
    const first = await this.#repeated(call)
    if (first.response.ok) return first.response
    const refusal = await this.#refusalOf(first)
    if (refusal.serverTime === undefined || !CLOCK_ERRORS.has(refusal.error)) throw refusal
    this.#shared.clockOffsets.set(new URL(call.url).origin, refusal.serverTime - this.now())
    const second = await this.#repeated(call)
    if (second.response.ok) return second.response
    throw await this.#refusalOf(second)
  }

  /** The answer to a request, whatever its status, sent again as the options say. */
  async exchange(call: Call): Promise<Response> {
    checkCall('transport.exchange', [call], [['call', CALL]])
    return (await this.#repeated(call)).response
  }

  async #repeated(call: Call): Promise<Answered> {
    const retryable = isRepeatable(call)
    const address = addressOf(call)
    for (let attempts = 1; ; attempts++) {
      const outcome = await this.#attempt(call).catch((error: unknown) => {
        if (error instanceof NoAnswer) return new ConnectionError(address, error.cause, { retryable, attempts })
        throw error
      })
      const wait = await this.#waitAfter(outcome, { retryable, attempts })
      if (wait !== null) await this.pause(wait, call.signal)
      else if (outcome instanceof Response) return { response: outcome, attempts }
      else throw outcome
    }
  }

  /** A 429 is decided before anything else, so any call can be sent again after it. */
  async #waitAfter(outcome: Response | ConnectionError, { retryable, attempts }: Attempts): Promise<number | null> {
    const { retries } = this.#shared
    if (outcome instanceof ConnectionError) return retryable ? retries.next(attempts) : null
    if (outcome.ok) retries.succeeded()
    if (outcome.status !== 429 && (outcome.status < 500 || !retryable)) return null
    const refusal = await this.#refusalOf({ response: outcome.clone(), attempts })
    return refusal.retryable ? retries.next(attempts, refusal.retryAfterSeconds) : null
  }

  /** Waits, unless a signal of the client or the given one ends it. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    checkCall('transport.pause', [ms, signal], ['ms', 'signal?'])
    const signals = [this.#options.signal, signal].filter((one) => one !== undefined)
    const { sleep: wait = sleep } = this.#options
    await wait(ms, signals.length > 0 ? AbortSignal.any(signals) : undefined)
  }

  async #refusalOf({ response, attempts }: Answered): Promise<ServiceError> {
    const body = await readAnyJson(response)
    const { serviceErrorOf } = await import('./refusal.ts')
    return serviceErrorOf(response.status, body, response.headers, { docs: this.#options.docs, attempts })
  }

  /**
   * One request and its answer, whatever its status. A redirect of a read from an alias to the canonical host is
   * followed once, with a new assertion, and later calls go there directly.
   */
  async #attempt(call: Call): Promise<Response> {
    const { origin } = new URL(call.url)
    const { movedTo } = this.#shared
    const response = await this.#once(this.#placed(call))
    const kind: string = response.type
    if (kind === 'opaqueredirect') throw movedSomewhere()
    const isRead = call.method === 'GET' || call.method === 'HEAD'
    if (response.status !== 301 || !isRead || call.isUnmoved === true || movedTo.has(origin)) return response
    const target = movedOrigin(call.url, response.headers.get('location'))
    if (target === null) return response
    await response.body?.cancel()
    movedTo.set(origin, target)
    return this.#once(this.#placed(call))
  }

  #placed(call: Call): Call {
    const url = new URL(call.url)
    const target = this.#shared.movedTo.get(url.origin)
    return target === undefined ? call : { ...call, url: target + url.pathname + url.search }
  }

  async #once(call: Call): Promise<Response> {
    const { href } = new URL(call.url)
    const { init, body } = await this.#initOf(call, href)
    const { timeoutMs = 60_000, signal } = this.#options
    const deadline = new Deadline(timeoutMs, [signal, call.signal], (body?.length ?? 0) * SENDING_MS_PER_BYTE)
    try {
      deadline.signal.throwIfAborted()
      const answer = await deadline.race(this.#sent(href, { ...init, signal: deadline.signal }, call, deadline))
      deadline.restart()
      const isStreamed = call.isStreamed === true && answer.ok
      const mostBytes = call.mostBytes ?? (isStreamed ? Number.POSITIVE_INFINITY : MAX_ANSWER_BYTES)
      const response = guarded(answer, { deadline, mostBytes, onReceived: call.onReceived })
      return isStreamed ? response : await received(response)
    } catch (error) {
      deadline.end()
      if ([signal, call.signal].some((one) => one?.aborted === true)) throw error
      if (error instanceof VerificationError) throw error
      throw new NoAnswer('no answer', { cause: error })
    }
  }

  async #sent(url: string, init: FetchInit, { onSent }: Call, deadline: Deadline): Promise<Response> {
    const { body } = init
    const { fetch: custom } = this.#options
    // A method of nothing: browsers refuse to call `fetch` as a method of another object.
    const send = custom ?? fetch
    if (!onSent || !body) return send(url, init)
    const total = body.length
    const tell = (done: number) => {
      deadline.restart()
      onSent({ done, total })
    }
    if (!custom) return (await import('./upload.ts')).sendCounted(url, { ...init, body }, tell)
    tell(0)
    const response = await send(url, init)
    tell(total)
    return response
  }

  /** By hand at redirects: an assertion is for one address, and `fetch` makes no new one when it follows. */
  async #initOf(call: Call, url: string): Promise<{ init: Omit<FetchInit, 'signal'>; body: Uint8Array | undefined }> {
    const json = call.body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(call.body))
    const body = json ?? (call.bytes && new Uint8Array(call.bytes))
    const headers = new Headers(call.isForeign === true ? {} : this.#options.headers)
    if (this.#options.origin !== undefined) headers.set('origin', this.#options.origin)
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    if (body) headers.set('content-type', json ? 'application/json' : (call.contentType ?? 'application/octet-stream'))
    if (call.accept !== undefined) headers.set('accept', call.accept)
    if (call.audience !== undefined) {
      headers.set('authorization', await this.#assertion({ method: call.method, url }, call.audience, body))
    }
    const init = {
      method: call.method,
      headers: Object.fromEntries(headers),
      redirect: 'manual',
      ...(body && { body }),
    }
    return { init: init as Omit<FetchInit, 'signal'>, body }
  }

  /** Bound to the URL as it goes over the wire: host case, default ports and escapes are normalized by now. */
  async #assertion(
    { method, url }: Pick<Call, 'method' | 'url'>,
    audience: string,
    body: Uint8Array | undefined,
  ): Promise<string> {
    if (!this.#asserter) {
      throw new ConfigurationError('identity', 'This call needs an identity: pass `identity` or `device` to the client')
    }
    const now = this.now() + (this.#shared.clockOffsets.get(new URL(url).origin) ?? 0)
    return this.#asserter.assertion({ audience, method, url, body, now })
  }
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
  return new ServiceError({ status: 301, error: 'unknown', message })
}

interface Attempts {
  readonly retryable: boolean
  readonly attempts: number
}

interface Answered {
  readonly response: Response
  readonly attempts: number
}

/** The connection failed or broke, or the answer did not come in time. */
class NoAnswer extends Error {}

function addressOf({ url }: Call): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Loaded with the first read that may need them. */
function mirrorsOf(options: MirrorOptions | undefined): Shared['mirrors'] {
  if (!options) return null
  return once(async () => {
    const { Mirrors } = await import('../mirrors/mirrors.ts')
    return new Mirrors(options)
  })
}

function checked(options: TransportOptions): TransportOptions {
  const { timeoutMs = 1, mirrors } = options
  if (mirrors) checkMirrors(mirrors)
  if (timeoutMs > 0) return options
  throw new ConfigurationError('timeoutMs', '`timeoutMs` must be a positive number, or Infinity for no limit')
}
