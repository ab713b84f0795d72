import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'

/**
 * The value of each query parameter. One that the operation reads and that is sent twice means two things, and readers
 * differ on which of them counts.
 */
export function singleValues(schema: z.ZodType, sent: Readonly<Record<string, readonly string[]>>): object {
  const read = 'shape' in schema ? Object.keys(schema.shape as object) : []
  const repeated = read.find((name) => (sent[name]?.length ?? 0) > 1)
  if (repeated !== undefined) throw new ApiError('invalid_request', { message: `query.${repeated}: must be sent once` })
  return Object.fromEntries(Object.entries(sent).map(([name, [value = '']]) => [name, value]))
}
