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
    super(`No answer from ${address}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.address = address
    this.isTimeout = cause instanceof IdleTimeout
    this.retryable = retryable
    this.attempts = attempts
  }
}

/** Nothing was received for as long as the caller wanted to wait. */
export class IdleTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(timeoutMs: number) {
    super(`nothing was received for ${timeoutMs} ms`)
  }
}
