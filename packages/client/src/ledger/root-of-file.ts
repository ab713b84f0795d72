import { rootOfFile as rootOf } from '#protocol/ledger/blind-root'
import { checkCall } from '../arguments/check.ts'

/**
 * The root under which a file is anchored: `hash` itself, or with the nonce of its stamp or bundle the blind root.
 * `hash` is SHA3-384 of the file, 96 hex characters.
 */
export function rootOfFile(hash: string, nonceB64u: string | null = null): string {
  checkCall('rootOfFile', [hash, nonceB64u], ['hash', 'nonceB64u?'])
  return rootOf(hash, nonceB64u)
}
