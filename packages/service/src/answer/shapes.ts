/**
 * The envelopes of the platform: how each service wraps success and failure. The shape of an error is decided only
 * here; the page Errors describes it.
 *
 * @module
 */
import {
  didErrorSchema,
  envelopeOf,
  errorEnvelopeSchema,
  provenanceErrorSchema,
  quotaExhaustedSchema,
  structuredErrorSchema,
} from '@svc/protocol/http/envelope'
import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import * as z from 'zod'
import type { ApiError } from './api-error.ts'

export interface AnswerFacts {
  readonly now: number
  readonly requestId: string
  readonly path: string
}

export interface Shape {
  success(data: unknown, facts: AnswerFacts): unknown
  successSchema(data: z.ZodType): z.ZodType
  failure(error: ApiError, facts: AnswerFacts): unknown
  failureSchema(error: ErrorName, path: string): z.ZodType
}

const extras = ({ options }: ApiError) => ({
  ...(options.serverTime === undefined ? {} : { serverTime: options.serverTime }),
  ...(options.details === undefined ? {} : { details: options.details }),
})

function envelopeFailure(error: ApiError, { now, requestId }: AnswerFacts) {
  const { quota } = error.options
  // `quota_exhausted` has its own body, on every service that returns it.
  if (quota) return { success: false, error: error.error, message: error.message, ...quota, requestId, timestamp: now }
  return { success: false, error: error.error, message: error.message, timestamp: now, ...extras(error) }
}

/** `{success: false, error, timestamp}`: consent, keys, auth, pay and docs. */
export const SIBLING_SHAPE: Shape = {
  success: (data, { now }) => ({ success: true, data, timestamp: now }),
  successSchema: envelopeOf,
  failure: envelopeFailure,
  failureSchema: (error) => (error === 'quota_exhausted' ? quotaExhaustedSchema : errorEnvelopeSchema),
}

/** Validation, body limits and route limits are structured, and so is a failure of `/api/version`. */
function structuredCode(error: ErrorName, path: string) {
  if (error === 'internal_error' && path === '/api/version') return 'internal_error' as const
  return errorEntry(error).code
}

export const CORE_SHAPE: Shape = {
  ...SIBLING_SHAPE,
  failure(error, facts) {
    const code = structuredCode(error.error, facts.path)
    if (!code) return envelopeFailure(error, facts)
    const { retryAfterSeconds, details } = error.options
    return {
      code,
      message: error.message,
      details: { ...details, error: error.error },
      ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
    }
  },
  failureSchema: (error, path) => (structuredCode(error, path) ? structuredErrorSchema : errorEnvelopeSchema),
}

/** Every answer carries the request id, to quote in support requests. */
export const PROVENANCE_SHAPE: Shape = {
  success: (data, { now, requestId }) => ({ success: true, data, timestamp: now, requestId }),
  successSchema: (data) => z.strictObject({ ...envelopeOf(data).shape, requestId: z.string() }),
  failure: (error, facts) => ({ ...envelopeFailure(error, facts), requestId: facts.requestId }),
  failureSchema: (error) => (error === 'quota_exhausted' ? quotaExhaustedSchema : provenanceErrorSchema),
}

/** `{error, status}`; successful bodies of the DID service have no envelope. */
export const DID_SHAPE: Shape = {
  success: (data) => data,
  successSchema: (data) => data,
  failure: (error) => ({ error: error.error, status: error.status, message: error.message, ...extras(error) }),
  failureSchema: () => didErrorSchema,
}
