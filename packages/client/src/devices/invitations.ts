import { type InvitationFault, readInvitation } from '#protocol/devices/invitation'
import { OfferKeys } from '#protocol/devices/offer-keys'
import { ConfigurationError } from '../transport/configuration-error.ts'

/** An invitation as both sides use it. */
export interface Invited {
  readonly code: string
  readonly keys: OfferKeys
}

/** Throws a `ConfigurationError` that names what is wrong with the text, before anything is sent. */
export function invitedBy(invitation: string): Invited {
  const read = readInvitation(invitation)
  if (!read.ok) throw new ConfigurationError('invitation', sentenceOf(read.error))
  return { code: read.value.code, keys: new OfferKeys(read.value.secret) }
}

function sentenceOf(fault: InvitationFault): string {
  switch (fault.reason) {
    case 'foreign_character':
      return `Group ${fault.group} of the invitation has a character that no invitation has`
    case 'wrong_length':
      return `An invitation has ten groups of four characters, and this one has ${fault.chars} characters`
    case 'typing_error':
      return 'The invitation has a typing error: compare it group by group'
  }
}
