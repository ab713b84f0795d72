/**
 * Examples of bodies in the OpenAPI document. Those of requests and successful answers were recorded while tests ran
 * (`scripts/checks/openapi/recorded-examples.ts`); those of errors are what the service would answer.
 *
 * @module
 */
import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import { ApiError } from '../answer/api-error.ts'
import type { ServiceDescription } from '../app/description.ts'
import type { BodyName, RecordedExamples } from './recorded.ts'

/** `{example}` for a body of an operation, or `{}` if none was recorded. */
export function exampleOf(examples: RecordedExamples, operationId: string, body: BodyName) {
  const recorded = examples[operationId]?.[body]
  return recorded === undefined ? {} : { example: recorded }
}

const FACTS = { now: 1_790_000_000_000, requestId: '5f0c6c1e-8d0b-4f6a-9a39-0c1a4f1f6f10' }
const QUOTA = { kind: 'capsule', used: 500, limit: 500, tier: 'free' }

/** What the service answers with an error. */
export function errorExample({ shape }: Pick<ServiceDescription, 'shape'>, error: ErrorName, path: string): unknown {
  if (error === 'rate_limited') {
    const { requestId } = shape.failure(new ApiError(error), { ...FACTS, path }) as { requestId?: string }
    const limited = { success: false, error: errorEntry(error).text, retryAfter: 12, tier: 'default' }
    return requestId === undefined ? limited : { ...limited, requestId }
  }
  const options = error === 'quota_exhausted' ? { quota: QUOTA } : {}
  return shape.failure(new ApiError(error, options), { ...FACTS, path })
}
