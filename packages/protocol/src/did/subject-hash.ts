import { fromHex, hashHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'

/**
 * The hash under which a subject is bound: SHA3-384 over a 32-byte secret of the organization and JCS of organization,
 * provider and subject. Subjects are email addresses or short numbers, so an unkeyed hash could be brute-forced. A
 * separate key per organization prevents two organizations from discovering that they share a member.
 */
export function subjectHashOf(
  keyHex: string,
  subject: { readonly orgDid: string; readonly provider: string; readonly subject: string },
): string {
  const key = fromHex(keyHex)
  if (key.length !== 32) throw new TypeError('subjectHashOf: the key must be 32 bytes')
  const bytes = jcsBytes({ ...subject })
  const keyed = new Uint8Array(key.length + bytes.length)
  keyed.set(key)
  keyed.set(bytes, key.length)
  return hashHex(keyed)
}
