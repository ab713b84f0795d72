/**
 * Calls between the Workers of one deployment: a shared secret in `X-Svc-Internal`, compared in constant time, and
 * the caller's name from the binding's props. Both sides live here.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/result'
import type { Service } from '@svc/rate-limit'
import type * as z from 'zod'
import type { InternalGate } from './description.ts'
import { type InternalSecrets, isInternalSecret } from './internal-secrets.ts'

export const INTERNAL_HEADER = 'x-svc-internal'
/** A sibling that takes longer is treated as absent: the caller answers 503 while its own client still waits. */
const TIMEOUT_MS = 5_000

/** Which sibling may call which internal operations. */
export type InternalRoutes = { readonly [S in Service]?: readonly string[] }

/** Fails closed: with no secret configured nobody gets in. */
export function internalGate(secrets: InternalSecrets, routes: InternalRoutes): InternalGate {
  return {
    authenticate(headers, executionContext, operationId) {
      const presented = headers.get(INTERNAL_HEADER)
      if (presented === null || !isInternalSecret(presented, secrets)) return null
      const { props } = executionContext as { props?: { caller?: unknown } }
      const caller = Object.keys(routes).find((name): name is Service => name === props?.caller)
      return caller && routes[caller]?.includes(operationId) ? caller : null
    },
  }
}

export type InternalFailure =
  | { readonly reason: 'unavailable'; readonly detail: string; readonly error?: string }
  | { readonly reason: 'refused'; readonly status: number; readonly error: string }

export interface InternalRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
}

/** A sibling's internal routes over a service binding. */
export class InternalClient {
  readonly #binding: Fetcher
  readonly #secret: string | undefined

  constructor(binding: Fetcher, { current }: InternalSecrets) {
    this.#binding = binding
    this.#secret = current
  }

  /**
   * Calls and checks the answer against its schema. A refusal that the sibling named comes back as it is; anything
   * else that is not a good answer, silence and nonsense included, is `unavailable`.
   */
  async call<S extends z.ZodType>(request: InternalRequest, answer: S): Promise<Result<z.output<S>, InternalFailure>> {
    if (!this.#secret) return err({ reason: 'unavailable', detail: 'no internal secret' })
    try {
      const response = await this.#binding.fetch(`https://internal${request.path}`, {
        method: request.method,
        headers: { [INTERNAL_HEADER]: this.#secret, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      })
      const body: unknown = await response.json()
      if (response.ok) {
        const parsed = answer.safeParse(body)
        return parsed.success ? ok(parsed.data) : err({ reason: 'unavailable', detail: 'malformed answer' })
      }
      const error = namedError(body)
      if (error === null || response.status >= 500) {
        return err({ reason: 'unavailable', detail: `status ${response.status}`, ...(error === null ? {} : { error }) })
      }
      return err({ reason: 'refused', status: response.status, error })
    } catch (error) {
      return err({ reason: 'unavailable', detail: error instanceof Error ? error.name : 'fault' })
    }
  }
}

function namedError(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  return typeof body.error === 'string' ? body.error : null
}
