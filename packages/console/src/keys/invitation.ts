import { readInvitation } from '@svc/client/functions'
import { SaidError } from '../failures/sentences.ts'
import { words } from '../words/failures/words.ts'

/** An address that opens the console of the other device. A fragment is not sent to a server. */
export const invitationUrl = (origin: string, invitation: string): string => `${origin}/pair#${invitation}`

/** Throws what is wrong with an invitation that a person typed, or with the address that ends with it. */
export function checkInvitation(given: string): void {
  const read = readInvitation(given)
  if (read.ok) return
  switch (read.error.reason) {
    case 'wrong_length':
      throw new SaidError(words.invitationWhole)
    case 'foreign_character':
      throw new SaidError(words.invitationCharacter(read.error.group))
    case 'typing_error':
      throw new SaidError(words.invitationTyping)
  }
}
