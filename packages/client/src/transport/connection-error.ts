/**
 * A request got no answer: the connection failed or broke, or nothing arrived for `timeoutMs`. The service may have
 * carried it out all the same. `cause` is the error of the runtime.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** Origin and path of the request. */
  readonly address: string
  readonly isTimeout: boolean
  /** Whether sending the same request again cannot do anything twice. */
  readonly retryable: boolean
  /** How often the request was sent. */
  readonly attempts: number

  constructor(address: string, cause: unknown, { retryable, attempts }: { retryable: boolean; attempts: number }) {
    super(`No answer from ${address}: ${saidBy(cause)}`, { cause })
    this.address = address
    this.isTimeout = cause instanceof IdleTimeout
    this.retryable = retryable
    this.attempts = attempts
  }
}

/** Runtimes say `fetch failed`, and why one or two causes further in. */
function saidBy(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const inner: unknown = cause.cause
  if (!(inner instanceof Error)) return cause.message
  const code: unknown = Reflect.get(inner, 'code')
  const said = inner.message === '' ? (typeof code === 'string' ? code : inner.name) : inner.message
  return said === cause.message ? said : `${cause.message} (${said})`
}

/** Nothing was received for as long as the caller wanted to wait. */
export class IdleTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(timeoutMs: number, message = `nothing was received for ${timeoutMs} ms`) {
    super(message)
  }
}

/** The answer came so slowly that it would hold the caller for good. */
export class SlowAnswer extends IdleTimeout {
  constructor(timeoutMs: number) {
    super(timeoutMs, `the answer was too slow to arrive: it had ${timeoutMs} ms, and a second for each 16 kB`)
  }
}
