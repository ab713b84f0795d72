/** Response envelopes and error bodies (workers/docs/pages/developer/errors.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'

const timestamp = /* @__PURE__ */ pure(() =>
  z.number().meta({ description: 'Server time, epoch ms', example: 1_790_000_000_000 }),
)
const serverTime = /* @__PURE__ */ pure(() =>
  z
    .number()
    .optional()
    .meta({ description: 'Set when the clock is the reason: server time, epoch ms, to correct the caller’s clock' }),
)

/** Wraps a payload in the success envelope of core and the other services. */
export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.strictObject({ success: z.literal(true), data, timestamp })
}

export const errorEnvelopeSchema = /* @__PURE__ */ pure(() =>
  z
    .object({
      success: z.literal(false),
      error: z.string().meta({ description: 'The error name' }),
      message: z.string().optional(),
      timestamp,
      serverTime,
      details: z.record(z.string(), z.unknown()).optional(),
    })
    .meta({ id: 'ErrorEnvelope', description: 'Error envelope of core and the other services' }),
)

/** A tier's monthly quota for a meter is used up. */
export const quotaExhaustedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      success: z.literal(false),
      error: z.literal('quota_exhausted'),
      message: z.string(),
      kind: z.string().meta({ description: 'The meter', example: 'capsule' }),
      used: z.int().min(0).meta({ description: 'Units used this month, including reserved ones' }),
      limit: z.int().min(0).meta({ description: 'Units the tier allows per month' }),
      tier: z.string(),
      requestId: z.string(),
      timestamp,
    })
    .meta({ id: 'QuotaExhausted', description: 'The tier’s monthly quota for this meter is used up' }),
)

export const structuredErrorSchema = /* @__PURE__ */ pure(() =>
  z
    .object({
      code: z.enum([
        'invalid_request',
        'unauthorized',
        'rate_limited',
        'unsupported_alg',
        'internal_error',
        'not_found',
        'forbidden',
        'conflict',
      ]),
      message: z.string(),
      details: z
        .object({ error: z.string() })
        .catchall(z.unknown())
        .optional()
        .meta({ description: '`error` is the error name' }),
      retryAfter: z.int().optional().meta({ description: 'Whole seconds' }),
    })
    .meta({ id: 'ErrorResponse', description: 'Structured error of core: validation, body caps and route limits' }),
)

export const tierErrorSchema = /* @__PURE__ */ pure(() =>
  z
    .object({
      success: z.literal(false),
      error: z.literal('Rate limit exceeded'),
      retryAfter: z.int(),
      tier: z.string(),
      requestId: z.string().optional(),
    })
    .meta({ id: 'TierLimitError', description: 'The tier’s rate limit is exceeded' }),
)

export const provenanceErrorSchema = /* @__PURE__ */ pure(() =>
  errorEnvelopeSchema
    .extend({ requestId: z.string() })
    .meta({ id: 'ProvenanceError', description: 'Error envelope of provenance' }),
)

export const didErrorSchema = /* @__PURE__ */ pure(() =>
  z
    .object({ error: z.string(), status: z.int(), message: z.string().optional(), serverTime })
    .meta({ id: 'DidError', description: 'Error body of the DID service' }),
)
