import { ERRORS, type ErrorName } from '@svc/protocol/http/errors'

/** An error answer of a service. `error` is the stable name to branch on; `message` is for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  /** A name from the error table, or `unknown` if the answer has none that this SDK knows. */
  readonly error: ErrorName | 'unknown'
  /** Evidence, such as the current head on `stale_head`, or the meter on `quota_exhausted`. */
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds to wait, on 429. */
  readonly retryAfterSeconds: number | undefined
  /** The server's clock in epoch milliseconds, on clock errors. */
  readonly serverTime: number | undefined
  readonly requestId: string | undefined

  constructor(status: number, body: unknown, headers: Headers) {
    const members = isRecord(body) ? body : {}
    const details = isRecord(members['details']) ? members['details'] : meterOf(members)
    const said = [members['error'], details['error'], members['code']].filter((name) => typeof name === 'string')
    // The shared limiter sends a sentence instead of a name.
    const error = said.find(isErrorName) ?? unnamed(status, members)
    super(typeof members['message'] === 'string' ? members['message'] : (said[0] ?? error))
    this.status = status
    this.error = error
    this.details = details
    this.retryAfterSeconds = Number(headers.get('retry-after') ?? members['retryAfter']) || undefined
    this.serverTime = typeof members['serverTime'] === 'number' ? members['serverTime'] : undefined
    this.requestId = headers.get('x-request-id') ?? undefined
  }
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
