/**
 * Ids that stand for somebody or something without leading to it, and the standing of a member.
 *
 * @module
 */
import { encodeBase64url } from '#protocol/base/base64url'
import { type Member, type MemberStatus, statusOf as statusAt } from '#protocol/did/org-bindings'
import { subjectHashOf as hashOfSubject } from '#protocol/did/subject-hash'
import { CONTACT_PASS_BYTES, contactTag as tagOf } from '#protocol/keys/reserving'
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

/** A new pass for one contact of an account: 256 random bits, base64url. */
export function makeContactPass(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(CONTACT_PASS_BYTES)))
}

/** Stands for a contact of an account in its settings. Without the pass, it leads to nobody. */
export function contactTag(accountDid: string, requesterDid: string, passB64u: string): string {
  checkCall('contactTag', [accountDid, requesterDid, passB64u], ['accountDid', 'requesterDid', 'passB64u'])
  return tagOf(accountDid, requesterDid, passB64u)
}

/** The id that certifies who minted an asset and all of its core: nobody else can sign a mint under it. */
export async function assetIdOf(scope: string, core: UnnamedCore): Promise<string> {
  checkCall('assetIdOf', [scope, core], ['scope', 'core'])
  return idOf(scope, core)
}
