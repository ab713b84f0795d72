import { decodeBase64url } from '#protocol/base/base64url'
import { didOf as didOfScope, userIdOf } from '#protocol/base/identity'
import { PUBLIC_KEY_BYTES } from '#protocol/base/labels'
import { checkCall } from '../arguments/check.ts'

/**
 * The DID of the identity whose first root key this is: an ML-DSA-65 public key, as bytes or base64url. It is the DID of no
 * other key, so the key of a rotated identity gives another one. Throws a TypeError if it is not a public key.
 */
export function didOf(genesisPublicKey: Uint8Array | string): string {
  checkCall('didOf', [genesisPublicKey], ['genesisPublicKey'])
  const bytes = typeof genesisPublicKey === 'string' ? decodeBase64url(genesisPublicKey) : genesisPublicKey
  if (bytes?.length !== PUBLIC_KEY_BYTES)
    throw new TypeError(
      `An ML-DSA-65 public key has ${PUBLIC_KEY_BYTES} bytes, as base64url without padding if it is text`,
    )
  return didOfScope(userIdOf(bytes))
}
