import { mlDsa65 } from '@svc/pqc'
import type { IdentitySeeds } from '../src/identity/own-keys.ts'

/** Signs any bytes with the key of an identity or a device, for tests of refusals: the SDK itself does not. */
export function signerOf(holder: { revealSeeds(): IdentitySeeds }): (message: Uint8Array) => Promise<Uint8Array> {
  return (message) => mlDsa65.sign(holder.revealSeeds().signing, message)
}
