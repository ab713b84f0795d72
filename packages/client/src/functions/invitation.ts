import type { Result } from '#protocol/base/result'
import * as invitations from '#protocol/devices/invitation'
import { checkCall } from '../arguments/check.ts'

/** Reads an invitation as a person typed it, or an address that ends with one, and says what is wrong with it. */
export function readInvitation(given: string): Result<invitations.Invitation, invitations.InvitationFault> {
  checkCall('readInvitation', [given], ['given'])
  return invitations.readInvitation(given)
}
