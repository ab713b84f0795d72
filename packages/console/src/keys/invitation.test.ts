import { expect, it } from 'vitest'
import { words } from '../words/failures/words.ts'
import { checkInvitation, invitationUrl } from './invitation.ts'

const INVITATION = '7Q3K-9ZXN-0V4T-0123-4567-89AB-CDEF-GHJK-MNPQ-RSS8'

it.each([
  ['as it is shown', INVITATION],
  ['as it is typed', INVITATION.toLowerCase().replaceAll('-', ' ')],
  ['in its address', invitationUrl('https://console.example', INVITATION)],
])('an invitation is taken %s', (_, given) => {
  expect(() => checkInvitation(given)).not.toThrow()
})

it.each([
  ['nothing', '', words.invitationWhole],
  ['a part of it', INVITATION.slice(0, 20), words.invitationWhole],
  ['a letter that no invitation has', INVITATION.replace('89AB', '89AU'), words.invitationCharacter(6)],
  ['another letter', INVITATION.replace('CDEF', 'CDFE'), words.invitationTyping],
])('%s is refused by what is wrong with it', (_, given, sentence) => {
  expect(() => checkInvitation(given)).toThrow(sentence)
})
