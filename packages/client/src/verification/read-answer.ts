import type * as z from 'zod'
import { answerSchema } from '#protocol/http/answer-schema'
import { VerificationError } from './verification-error.ts'

/** What somebody sent, in the form that is documented for it. Members that this SDK does not know are kept. */
export function readAnswer<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = answerSchema(schema).safeParse(body)
  if (parsed.success) return parsed.data
  const member = parsed.error.issues[0]?.path.join('.') ?? ''
  const where = member === '' ? '' : ` at ${member}`
  throw new VerificationError(`The answer does not have the documented form${where}`, {
    subject: 'answer',
    reason: 'malformed',
    where: { member },
  })
}
