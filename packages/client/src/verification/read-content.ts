import type * as z from 'zod'
import { utf8Of } from '#protocol/base/utf8'
import type { VerificationSubject } from './subjects.ts'
import { unverified } from './verification-error.ts'

/**
 * What somebody encrypted or signed, in the form that is documented for it. No service has looked into it, so anything can
 * be there: what is malformed is theirs to mend, and no reason to stop reading the rest.
 */
export function readContent<S extends z.ZodType>(subject: VerificationSubject, schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const member = parsed.error.issues[0]?.path.join('.') ?? ''
  const where = member === '' ? '' : ` at ${member}`
  throw unverified(subject, 'malformed', `What was written does not have the documented form${where}`, {
    where: { member },
  })
}

/** The JSON in some bytes; undefined if there is none. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Of(bytes) ?? '')
  } catch {
    return undefined
  }
}
