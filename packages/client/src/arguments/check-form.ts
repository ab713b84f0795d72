import type * as z from 'zod'
import { ArgumentError } from './argument-error.ts'

/** An argument that is signed or encrypted, in the form in which others can read it. The error names the member, not its value. */
export function checkForm<S extends z.ZodType>(method: string, name: string, schema: S, given: unknown): z.output<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const member = [name, ...(issue?.path ?? [])].join('.')
  throw new ArgumentError(method, member, `${method} cannot take \`${member}\`: ${issue?.message ?? 'wrong form'}`)
}
