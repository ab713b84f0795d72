/** The shapes that answers travel in (document 1 sections 2.1, 2.2 and 7; document 2 section 7). */
import * as z from 'zod'

const timestamp = z.number().meta({ description: 'Server time, epoch ms', example: 1_790_000_000_000 })
const serverTime = z
  .number()
  .optional()
  .meta({ description: 'On clock refusals: server time, epoch ms, to correct the caller’s clock by' })

/** The success envelope of core and its siblings around a payload. */
export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.strictObject({ success: z.literal(true), data, timestamp })
}

export const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'The named error, verbatim' }),
    message: z.string().optional(),
    timestamp,
    serverTime,
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ErrorEnvelope', description: 'An error in the envelope of core and its siblings' })

/** Document 2 section 2.2: what a tier allows is used up. */
export const quotaExhaustedSchema = z
  .strictObject({
    success: z.literal(false),
    error: z.literal('quota_exhausted'),
    message: z.string(),
    kind: z.string().meta({ description: 'The meter', example: 'capsule' }),
    used: z.int().min(0).meta({ description: 'Units of this month, with those that are reserved' }),
    limit: z.int().min(0).meta({ description: 'What the tier allows in a month' }),
    tier: z.string(),
    requestId: z.string(),
    timestamp,
  })
  .meta({ id: 'QuotaExhausted', description: 'The tier allows no more of this kind in this month' })

export const structuredErrorSchema = z
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
      .meta({ description: '`error` is the named error, verbatim' }),
    retryAfter: z.int().optional().meta({ description: 'Whole seconds' }),
  })
  .meta({ id: 'ErrorResponse', description: 'Core’s structured error: validation, body caps and route limits' })

export const tierErrorSchema = z
  .object({
    success: z.literal(false),
    error: z.literal('Rate limit exceeded'),
    retryAfter: z.int(),
    tier: z.string(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'TierLimitError', description: 'The shared limiter’s refusal' })

export const provenanceErrorSchema = errorEnvelopeSchema
  .extend({ requestId: z.string() })
  .meta({ id: 'ProvenanceError', description: 'The provenance envelope of a failure' })

export const didErrorSchema = z
  .object({ error: z.string(), status: z.int(), message: z.string().optional(), serverTime })
  .meta({ id: 'DidError', description: 'The DID service’s small error shape' })
