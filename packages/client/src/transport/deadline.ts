import { IdleTimeout } from './connection-error.ts'

/** Ends one attempt of a request: when the caller aborts, or when nothing arrives for `timeoutMs`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timeoutMs: number
  readonly #callers: readonly AbortSignal[]
  readonly #forward = () => this.#controller.abort(this.#callers.find(({ aborted }) => aborted)?.reason)
  readonly #aborted: Promise<never>
  #timer: ReturnType<typeof setTimeout> | null = null
  #isEnded = false

  /** `allowanceMs` is added to the first wait, for sending. */
  constructor(timeoutMs: number, callers: readonly (AbortSignal | undefined)[], allowanceMs = 0) {
    this.#timeoutMs = timeoutMs
    this.#callers = callers.filter((signal) => signal !== undefined)
    const { signal } = this.#controller
    this.#aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    this.#aborted.catch(() => {})
    for (const caller of this.#callers) caller.addEventListener('abort', this.#forward, { once: true })
    if (this.#callers.some(({ aborted }) => aborted)) this.#forward()
    this.#wait(timeoutMs + allowanceMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The work, or the reason for ending it: a wrapper of `fetch` may not pass the signal on. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#aborted])
  }

  /** Something arrived, or was sent. */
  touch(): void {
    this.#wait(this.#timeoutMs)
  }

  end(): void {
    this.#isEnded = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const caller of this.#callers) caller.removeEventListener('abort', this.#forward)
  }

  #wait(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (ms === Number.POSITIVE_INFINITY || this.signal.aborted || this.#isEnded) return
    this.#timer = setTimeout(() => this.#controller.abort(new IdleTimeout(this.#timeoutMs)), ms)
  }
}
