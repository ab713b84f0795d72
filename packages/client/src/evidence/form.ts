import type * as z from 'zod'
import { answerSchema } from '#protocol/http/answer-schema'
import { unverified, type VerificationError } from '../verification/verification-error.ts'

/** The value in the form of its kind, with the members that this SDK does not know. Throws a `VerificationError` for another form. */
export function formed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = answerSchema(schema).safeParse(value)
  if (parsed.success) return parsed.data
  throw notFormed(parsed.error.issues[0]?.path.join('.') ?? '')
}

/** For evidence that only looks like its kind. */
export function notFormed(member: string): VerificationError {
  const where = member === '' ? '' : ` at ${member}`
  return unverified('evidence', 'malformed', `It does not have the form of its kind${where}`, { where: { member } })
}
