/**
 * Calls between the Workers of one deployment: a shared secret in `X-Svc-Internal`, compared in constant time, and the
 * caller's name from the binding's props. Both sides are here.
 *
 * @module
 */
import { err, ok, type Result } from '@svc/protocol/base/result'
import type * as z from 'zod'
import type { InternalGate } from '../app/description.ts'
import { currentRequestId, REQUEST_ID_HEADER } from '../app/request-id.ts'
import { type InternalSecrets, isInternalSecret } from './secrets.ts'

export const INTERNAL_HEADER = 'x-svc-internal'
/** A slower sibling counts as unavailable: the caller answers 503 while its own client is still waiting. */
const TIMEOUT_MS = 5_000

/** Fails closed: without a configured secret nobody is admitted. */
export function internalGate(secrets: InternalSecrets): InternalGate {
  return {
    authenticate(headers, executionContext, callers) {
      const presented = headers.get(INTERNAL_HEADER)
      if (presented === null || !isInternalSecret(presented, secrets)) return null
      const { props } = executionContext as { props?: { caller?: unknown } }
      return callers.find((name) => name === props?.caller) ?? null
    },
  }
}

export type InternalFault =
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
   * Calls and validates the answer. A named refusal from the sibling is returned unchanged; anything else that is not a
   * valid answer, including none, is `unavailable`. The sibling logs the call under the id of the caller's request.
   */
  async call<S extends z.ZodType>(request: InternalRequest, answer: S): Promise<Result<z.output<S>, InternalFault>> {
    if (!this.#secret) return err({ reason: 'unavailable', detail: 'no internal secret' })
    const requestId = currentRequestId()
    try {
      const response = await this.#binding.fetch(`https://internal${request.path}`, {
        method: request.method,
        headers: {
          [INTERNAL_HEADER]: this.#secret,
          'content-type': 'application/json',
          ...(requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId }),
        },
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
