import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'

export interface ApiErrorOptions {
  /** Public; defaults to the text in the error table. Never an internal message of a 5xx. */
  readonly message?: string | undefined
  /** Public evidence, such as the current head. */
  readonly details?: Record<string, unknown> | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly headers?: Record<string, string> | undefined
  /** On clock errors: the server's time. */
  readonly serverTime?: number | undefined
  /** On `quota_exhausted`: the meter and its state. */
  readonly quota?:
    | { readonly kind: string; readonly used: number; readonly limit: number; readonly tier: string }
    | undefined
  /** The tier, if the shared limiter refused. */
  readonly tier?: string | undefined
  /** Only for the log: what really happened, without any input. */
  readonly reason?: string | undefined
}

/** An expected failure with a public name. Thrown inside a request and turned into a response in one place. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly error: ErrorName
  readonly options: ApiErrorOptions

  constructor(error: ErrorName, options: ApiErrorOptions = {}) {
    super(options.message ?? errorEntry(error).text)
    this.error = error
    this.options = options
  }

  get status(): number {
    return errorEntry(this.error).status
  }
}
