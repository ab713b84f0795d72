import { IdleTimeout, SlowAnswer } from '../connection-error.ts'

/** What arrives adds to the time that is left, up to `timeoutMs`: a second per 16 kB. A byte now and then adds nothing. */
const MS_PER_BYTE = 1 / 16

/**
 * Ends one attempt of a request: when the caller aborts, when nothing arrives for `timeoutMs`, or when what arrives comes
 * so slowly that `timeoutMs` is used up.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timeoutMs: number
  readonly #callers: readonly AbortSignal[]
  readonly #forward = () => this.#controller.abort(this.#callers.find(({ aborted }) => aborted)?.reason)
  readonly #aborted: Promise<never>
  #timer: ReturnType<typeof setTimeout> | null = null
  /** How long to wait still, at `#since`. */
  #leftMs: number
  #since = performance.now()
  #hasArrived = false
  #isEnded = false

  /** `allowanceMs` is added to the first wait, for sending. */
  constructor(timeoutMs: number, callers: readonly (AbortSignal | undefined)[], allowanceMs = 0) {
    this.#timeoutMs = timeoutMs
    this.#leftMs = timeoutMs + allowanceMs
    this.#callers = callers.filter((signal) => signal !== undefined)
    const { signal } = this.#controller
    this.#aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    this.#aborted.catch(() => {})
    for (const caller of this.#callers) caller.addEventListener('abort', this.#forward, { once: true })
    if (this.#callers.some(({ aborted }) => aborted)) this.#forward()
    this.#wait()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The work, or the reason for ending it: a wrapper of `fetch` may not pass the signal on. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#aborted])
  }

  /** The answer begins, or a part of the request was sent: the whole time is there again. */
  restart(): void {
    this.#set(this.#timeoutMs)
  }

  /** Bytes of the answer arrived. */
  arrived(bytes: number): void {
    this.#hasArrived = true
    const left = this.#leftMs - (performance.now() - this.#since)
    this.#set(Math.min(this.#timeoutMs, left + bytes * MS_PER_BYTE))
  }

  end(): void {
    this.#isEnded = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const caller of this.#callers) caller.removeEventListener('abort', this.#forward)
  }

  #set(leftMs: number): void {
    this.#leftMs = leftMs
    this.#since = performance.now()
    this.#wait()
  }

  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#leftMs === Number.POSITIVE_INFINITY || this.signal.aborted || this.#isEnded) return
    this.#timer = setTimeout(() => this.#controller.abort(this.#timedOut()), Math.max(0, this.#leftMs))
  }

  #timedOut(): IdleTimeout {
    const ms = this.#timeoutMs
    return this.#hasArrived && this.#leftMs < ms ? new SlowAnswer(ms) : new IdleTimeout(ms)
  }
}
