/**
 * Ids that stand for somebody or something without leading to it, and the standing of a member.
 *
 * @module
 */
import { type Member, type MemberStatus, statusOf as statusAt } from '#protocol/did/org-bindings'
import { subjectHashOf as hashOfSubject } from '#protocol/did/subject-hash'
import { contactTag as tagOf } from '#protocol/keys/reserving'
import { assetIdOf as idOf, type UnnamedCore } from '#protocol/ledger/asset-statements'
import { checkCall } from '../arguments/check.ts'

/** Status of a binding at a time. Only `active` counts as bound. End times are exclusive. */
export function statusOf(member: Member, now: number): MemberStatus {
  checkCall('statusOf', [member, now], ['member', 'now'])
  return statusAt(member, now)
}

/**
 * The hash under which a subject is bound: SHA3-384 over a 32-byte secret of the organization and JCS of organization,
 * provider and subject. Subjects are email addresses or short numbers, so an unkeyed hash could be brute-forced. A
 * separate key per organization prevents two organizations from discovering that they share a member.
 */
export function subjectHashOf(
  keyHex: string,
  subject: { readonly orgDid: string; readonly provider: string; readonly subject: string },
): string {
  checkCall('subjectHashOf', [keyHex, subject], ['keyHex', ['subject', { orgDid: 1, provider: 1, subject: 1 }]])
  return hashOfSubject(keyHex, subject)
}

/** Stands for a contact of an account: shows whether a DID that is known is meant, and does not lead to one. */
export function contactTag(accountDid: string, requesterDid: string): string {
  checkCall('contactTag', [accountDid, requesterDid], ['accountDid', 'requesterDid'])
  return tagOf(accountDid, requesterDid)
}

/** The id that certifies who minted an asset and all of its core: nobody else can sign a mint under it. */
export async function assetIdOf(scope: string, core: UnnamedCore): Promise<string> {
  checkCall('assetIdOf', [scope, core], ['scope', 'core'])
  return idOf(scope, core)
}
