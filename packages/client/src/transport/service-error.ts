import { ERRORS, type ErrorName, errorEntry } from '@svc/protocol/http/errors'

/** Statuses of what stands between a service and its callers: the answer was lost. */
const LOST: ReadonlySet<number> = new Set([502, 504, 520, 521, 522, 523, 524])

/** Where a refusal happened, as the transport knows it. */
export interface RefusalContext {
  /** Origin of the pages. */
  readonly docs?: string | undefined
  readonly attempts?: number
}

/** An error answer of a service. `error` is the stable name to branch on; `message` is for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  /** A name from the error table, or `unknown` if the answer has none that this SDK knows. */
  readonly error: ErrorName | 'unknown'
  /** Evidence, such as the current head on `stale_head`, or the meter on `quota_exhausted`. */
  readonly details: Readonly<Record<string, unknown>>
  /** Whether the same request can succeed later. The SDK has repeated it already if that cannot do anything twice. */
  readonly retryable: boolean
  /** Seconds to wait, on 429. */
  readonly retryAfterSeconds: number | undefined
  /** The server's clock in epoch milliseconds, on clock errors. */
  readonly serverTime: number | undefined
  /** Names the request in the logs of the deployment. */
  readonly requestId: string | undefined
  /** Address of the page that explains the name; undefined if the client does not know the deployment's pages. */
  readonly docs: string | undefined
  /** How often the request was sent. */
  readonly attempts: number

  constructor(status: number, body: unknown, headers: Headers, { docs, attempts = 1 }: RefusalContext = {}) {
    const members = isRecord(body) ? body : {}
    const details = isRecord(members['details']) ? members['details'] : meterOf(members)
    const said = [members['error'], details['error'], members['code'], headers.get('x-error-name')].filter(
      (name) => typeof name === 'string',
    )
    // The shared limiter sends a sentence instead of a name.
    const error = said.find(isErrorName) ?? unnamed(status, members)
    super(typeof members['message'] === 'string' ? members['message'] : (said[0] ?? error))
    this.status = status
    this.error = error
    this.details = details
    this.retryable = isTransient(status, error)
    this.retryAfterSeconds = Number(headers.get('retry-after') ?? members['retryAfter']) || undefined
    this.serverTime = typeof members['serverTime'] === 'number' ? members['serverTime'] : undefined
    this.requestId = headers.get('x-request-id') ?? undefined
    this.docs = docs === undefined ? undefined : `${docs}/developer/errors`
    this.attempts = attempts
  }
}

/** Whether the state that the answer tells of passes by itself. A 503 also tells what a deployment does not have. */
function isTransient(status: number, error: ErrorName | 'unknown'): boolean {
  if (status === 429 || LOST.has(status)) return true
  return status === 503 && (error === 'unknown' || errorEntry(error).transient === true)
}

/** `quota_exhausted` carries its evidence next to its name. */
function meterOf({ error, kind, used, limit, tier }: Record<string, unknown>): Record<string, unknown> {
  return error === 'quota_exhausted' ? { kind, used, limit, tier } : {}
}

/** Errors without a name: of a tier, and of consent if there is no record. */
function unnamed(status: number, { found }: Record<string, unknown>): ErrorName | 'unknown' {
  if (status === 429) return 'rate_limited'
  return status === 404 && found === false ? 'not_found' : 'unknown'
}

function isErrorName(name: string): name is ErrorName {
  return Object.hasOwn(ERRORS, name)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
