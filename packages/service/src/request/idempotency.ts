import * as z from 'zod'

const key = z
  .string()
  .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .meta({ description: 'The caller’s name for this request: the same key means the same request' })

/** The header Idempotency-Key: the caller's name for one request, so that a retry is not a second one. */
export const IDEMPOTENCY_HEADERS = {
  required: z.object({ 'Idempotency-Key': key }),
  optional: z.object({ 'Idempotency-Key': key.optional() }),
} as const
