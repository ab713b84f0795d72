import type * as z from 'zod'
import type { AssertionRequest } from '#assertion'
import type { KnownInception } from '#protocol/base/inception-head'
import type { Realms } from '#protocol/base/realm'
import { checkCall } from '../arguments/check.ts'
import type { Signing } from '../identity/signing.ts'
import type { MirrorOptions } from '../mirrors/mirror-options.ts'
import type { MirroredAnswer, Mirrors } from '../mirrors/mirrors.ts'
import { once } from '../services/once.ts'
import { CALL, type Call } from './call.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ConnectionError } from './connection-error.ts'
import { readAnyJson, readJson } from './guarded-body.ts'
import { PendingWatch } from './pending-watch.ts'
import { isRepeatable } from './repeatable.ts'
import { Retries, sleep } from './retries.ts'
import { NoAnswer, type Sender, sendOnce, type ToAssert } from './sending/send-once.ts'
import { ServiceError } from './service-error.ts'
import { checkedOptions, TRANSPORT_OPTIONS, type TransportOptions } from './transport-options.ts'

const loadAnswers = /* @__PURE__ */ once(() => import('./answers.ts'))

/** Clock errors of an assertion. Nothing else changes the clock. */
const CLOCK_ERRORS: ReadonlySet<string> = /* @__PURE__ */ new Set(['assertion_expired', 'assertion_not_yet_valid'])

/** Makes assertions: an identity, or a device of one. */
export interface Asserter {
  assertion(request: AssertionRequest): Promise<string>
  /** Returns the newest known event of its inception log, which its statements name. Makes no request. Default: none. */
  known?(): Promise<KnownInception>
}

export { TRANSPORT_OPTIONS, type TransportOptions } from './transport-options.ts'

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
    this.#options = checkedOptions(options)
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

  /** The local clock, corrected by what the service at this address last said of its own, epoch milliseconds. */
  correctedNow(url: string): number {
    checkCall('transport.correctedNow', [url], ['url'])
    return this.now() + (this.#shared.clockOffsets.get(new URL(url).origin) ?? 0)
  }

  /** Returns the realm, the newest known event and the time, for statements of the caller. */
  async signing(): Promise<Required<Signing>> {
    return { realm: this.realm, now: this.now(), inception: (await this.#asserter?.known?.()) ?? null }
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
    const { data, pending, changes } = readData(schema, await readJson(answered.response, addressOf(call)))
    if (call.audience !== undefined && pending !== undefined) {
      this.pending.see(pending)
      this.pending.seeChanges(changes)
    }
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
    const response = await sendOnce(this.#placed(call), this.#sender)
    const kind: string = response.type
    if (kind === 'opaqueredirect') throw movedSomewhere()
    const isRead = call.method === 'GET' || call.method === 'HEAD'
    if (response.status !== 301 || !isRead || call.isUnmoved === true || movedTo.has(origin)) return response
    const target = movedOrigin(call.url, response.headers.get('location'))
    if (target === null) return response
    await response.body?.cancel()
    movedTo.set(origin, target)
    return sendOnce(this.#placed(call), this.#sender)
  }

  get #sender(): Sender {
    return { options: this.#options, assertionFor: (request, audience) => this.#assertion(request, audience) }
  }

  #placed(call: Call): Call {
    const url = new URL(call.url)
    const target = this.#shared.movedTo.get(url.origin)
    return target === undefined ? call : { ...call, url: target + url.pathname + url.search }
  }

  /** Bound to the URL as it goes over the wire: host case, default ports and escapes are normalized by now. */
  async #assertion({ method, url, body }: ToAssert, audience: string): Promise<string> {
    if (!this.#asserter) {
      throw new ConfigurationError('identity', 'This call needs an identity: pass `identity` or `device` to the client')
    }
    return this.#asserter.assertion({ audience, method, url, body, now: this.correctedNow(url) })
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
