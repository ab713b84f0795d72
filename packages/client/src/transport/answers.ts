/**
 * Reads the answers of services by their schemas. Loaded with the first answer: the schema library is half of what a
 * client would load otherwise.
 *
 * @module
 */
import { type PendingChange, pendingMember } from '@svc/protocol/chain/pending'
import * as z from 'zod'
import { readAnswer } from '../verification/read-answer.ts'

export { readAnswer } from '../verification/read-answer.ts'

const successSchema = z.object({ success: z.literal(true), data: z.unknown() })
const pendingSchema = z.object(pendingMember)

export interface Data<T> {
  readonly data: T
  /** Undefined if answers of this form do not tell what is pending. */
  readonly pending: PendingChange | null | undefined
}

/** The `data` of a success envelope. */
export function readData<S extends z.ZodType>(schema: S, body: unknown): Data<z.output<S>> {
  const { data } = readAnswer(successSchema, body)
  const answer = readAnswer(schema, data)
  // Without the member, nothing is pending.
  const tellsPending = schema instanceof z.ZodObject && 'pending' in schema.shape
  return { data: answer, pending: tellsPending ? (pendingSchema.parse(data).pending ?? null) : undefined }
}
