import { hkdf } from '@noble/hashes/hkdf.js'
import { sha3_384 as nobleSha3_384 } from '@noble/hashes/sha3.js'
import { checkBytes } from './checks.ts'
import { type ModernSubtle, modernSubtle, nativeSupports } from './subtle.ts'

/** Synchronous, in JavaScript: for transactions of Durable Objects and other code that cannot await. */
export function sha3_384(bytes: Uint8Array): Uint8Array {
  checkBytes('sha3-384 bytes', bytes)
  return nobleSha3_384(bytes)
}

/** Uses the runtime's digest, or JavaScript without one. Both read the bytes when called. */
export function createSha3_384Async(
  subtle: Pick<ModernSubtle, 'digest'> | null,
): (bytes: Uint8Array) => Promise<Uint8Array> {
  return async (bytes) => {
    checkBytes('sha3-384 bytes', bytes)
    return subtle ? new Uint8Array(await subtle.digest('SHA3-384', bytes)) : nobleSha3_384(bytes)
  }
}

/** Native if the runtime supports it: about ten times as fast for any length, the cost of the promise included. */
export const sha3_384Async = createSha3_384Async(nativeSupports('SHA3-384') ? modernSubtle : null)

/** Incremental, for streamed input. Always JavaScript: WebCrypto digests whole inputs, and workerd's `DigestStream` has no SHA-3. */
export function sha3_384Hasher(): { update(chunk: Uint8Array): void; digest(): Uint8Array } {
  const hash = nobleSha3_384.create()
  return {
    update(chunk) {
      checkBytes('sha3-384 chunk', chunk)
      hash.update(chunk)
    },
    digest: () => hash.digest(),
  }
}

/** HKDF (RFC 5869) with SHA3-384. Derives independent keys from one secret; `info` names the purpose. */
export function hkdfSha3_384(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Uint8Array {
  checkBytes('hkdf secret', secret)
  return hkdf(nobleSha3_384, secret, salt, info, bytes)
}
