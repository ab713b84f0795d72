import type * as z from 'zod'
import { answerSchema } from '#protocol/http/answer-schema'

/** The value in the form of its kind, with the members that this SDK does not know. Throws a TypeError for another form. */
export function formed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = answerSchema(schema).safeParse(value)
  if (parsed.success) return parsed.data
  throw new TypeError(`It does not have its form at ${parsed.error.issues[0]?.path.join('.')}`)
}
