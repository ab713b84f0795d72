/**
 * Reads error answers. Loaded with the first one: the table of names is as large as the transport.
 *
 * @module
 */
import { errorPath } from '#protocol/http/error-pages'
import { ERRORS, type ErrorName, errorEntry } from '#protocol/http/errors'
import { checkCall } from '../arguments/check.ts'
import { ServiceError } from './service-error.ts'

/** Statuses of what stands between a service and its callers: the answer was lost. */
const LOST: ReadonlySet<number> = /* @__PURE__ */ new Set([502, 504, 520, 521, 522, 523, 524])

/** Where a refusal happened, as the transport knows it. */
export interface RefusalContext {
  /** Origin of the pages. */
  readonly docs?: string | undefined
  readonly attempts?: number
}

/** The error that an answer stands for. */
export function serviceErrorOf(
  status: number,
  body: unknown,
  headers: Headers,
  context: RefusalContext = {},
): ServiceError {
  checkCall(
    'serviceErrorOf',
    [status, body, headers, context],
    ['status', 'body?', 'headers', ['context?', { docs: 0, attempts: 0 }]],
  )
  const { docs, attempts = 1 } = context
  const members = isRecord(body) ? body : {}
  const details = isRecord(members['details']) ? members['details'] : meterOf(members)
  const said = [members['error'], details['error'], members['code'], headers.get('x-error-name')].filter(
    (name) => typeof name === 'string',
  )
  // The shared limiter sends a sentence instead of a name.
  const error = said.find(isErrorName) ?? unnamed(status, members)
  return new ServiceError({
    status,
    error,
    message:
      typeof members['message'] === 'string' ? members['message'] : (said[0] ?? sentenceOf(status, error, headers)),
    details,
    retryable: isTransient(status, error),
    retryAfterSeconds: Number(headers.get('retry-after') ?? members['retryAfter']) || undefined,
    serverTime: typeof members['serverTime'] === 'number' ? members['serverTime'] : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    docs: docs === undefined ? undefined : docs + errorPath(error),
    attempts,
  })
}

/** For an answer that does not say what is wrong: mostly, it is not one of the service. */
function sentenceOf(status: number, error: string, headers: Headers): string {
  if (error !== 'unknown') return error
  if (status >= 300 && status < 400) return `The service answered ${status}: set the address that it has moved to`
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing'
  return `The service answered ${status} with ${type} and no reason: is it the address of the service?`
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
