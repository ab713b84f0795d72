import * as z from 'zod'
import type { InviteSecrets } from './secrets.ts'

const personSchema = z.strictObject({ email: z.string(), name: z.string(), reason: z.string() })

/** Who asked for an invitation, and why: encrypted in the row of the request. */
export type Person = z.infer<typeof personSchema>

export function sealPerson(secrets: InviteSecrets, inviteId: string, { email, name, reason }: Person): Promise<string> {
  return secrets.seal(JSON.stringify({ email, name, reason }), { kind: 'person', inviteId })
}

/** Null if the seed that it was encrypted under is lost. */
export async function personIn(
  secrets: InviteSecrets,
  { id, sealed }: { readonly id: string; readonly sealed: string },
): Promise<Person | null> {
  const text = await secrets.open(sealed, { kind: 'person', inviteId: id })
  return text === null ? null : personSchema.parse(JSON.parse(text))
}
