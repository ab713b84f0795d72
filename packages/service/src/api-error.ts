import { type ErrorName, errorEntry } from '@svc/protocol/errors'

export interface ApiErrorOptions {
  /** Public; the table's sentence unless told. Never an inner message of a 5xx. */
  readonly message?: string | undefined
  /** Public evidence, such as the current head. */
  readonly details?: Record<string, unknown> | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly headers?: Record<string, string> | undefined
  /** On clock refusals: the server's time. */
  readonly serverTime?: number | undefined
  /** Of `quota_exhausted`: which meter, and how it stands. */
  readonly quota?:
    | { readonly kind: string; readonly used: number; readonly limit: number; readonly tier: string }
    | undefined
  /** The tier, when the shared limiter refused. */
  readonly tier?: string | undefined
  /** For the log alone: what really happened, in words that hold no input. */
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
