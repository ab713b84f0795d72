import { decodeBase64url } from '#protocol/base/base64url'
import type { VerificationSubject } from './subjects.ts'
import { unverified } from './verification-error.ts'

/** The bytes of a member that somebody else wrote as base64url; other text is malformed. */
export function readBytesOf(subject: VerificationSubject, member: string, text: string): Uint8Array {
  const bytes = decodeBase64url(text)
  if (bytes) return bytes
  throw unverified(subject, 'malformed', `\`${member}\` is not base64url`, { where: { member } })
}
