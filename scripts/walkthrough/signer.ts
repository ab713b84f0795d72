import type { IdentitySeeds } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'

/** Signs any bytes, as a program without the SDK does. The SDK signs what it understands only. */
export function signerOf(holder: { revealSeeds(): IdentitySeeds }): (message: Uint8Array) => Promise<Uint8Array> {
  return (message) => mlDsa65.sign(holder.revealSeeds().signing, message)
}
