import type { IdentitySeeds } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'

type Sign = (message: Uint8Array) => Promise<Uint8Array>

/** The holder of a signing key in a test: an identity, a device, or an object that signs by itself. */
export type KeyHolder = { readonly sign: Sign } | { revealSeeds(): IdentitySeeds }

/** Signs any bytes with the key of an identity or a device, for tests of refusals: the SDK itself does not. */
export function signerOf(holder: KeyHolder): Sign {
  if ('sign' in holder) return (message) => holder.sign(message)
  return (message) => mlDsa65.sign(holder.revealSeeds().signing, message)
}
