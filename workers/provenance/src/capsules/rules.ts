/**
 * The rules of registration: what a capsule must agree with before a key or a store is asked. Pure.
 *
 * @module
 */
import { CAPSULE_CONTENT_TYPE, type CapsuleKind, type RegisterCapsule } from '@svc/protocol/provenance/capsules'

/** The same as for assertions. A capsule may have been signed long ago, on a device without a network. */
const FUTURE_SKEW_MS = 300_000

export type CapsuleFault =
  | { readonly reason: 'owner_mismatch' | 'from_the_future' }
  | { readonly reason: 'malformed'; readonly detail: string }

export interface ExpectedCapsule {
  readonly did: string
  readonly kind: CapsuleKind
  readonly hash: string
}

/** Returns the first field that does not agree, or null. */
export function capsuleFault(
  { capsule, block }: Pick<RegisterCapsule, 'capsule' | 'block'>,
  { did, kind, hash }: ExpectedCapsule,
  now: number,
): CapsuleFault | null {
  if (capsule.kind !== kind) return { reason: 'malformed', detail: `capsule.kind: must be ${kind} here` }
  if (!capsule.media.mime.startsWith(`${kind}/`)) {
    return { reason: 'malformed', detail: `capsule.media.mime: must be of ${kind}/` }
  }
  if (capsule.did !== did) return { reason: 'owner_mismatch' }
  if (capsule.issuedAt > now + FUTURE_SKEW_MS) return { reason: 'from_the_future' }
  if (block && block.contentType !== CAPSULE_CONTENT_TYPE) {
    return { reason: 'malformed', detail: `block.contentType: must be ${CAPSULE_CONTENT_TYPE}` }
  }
  if (block && block.dataHash !== hash)
    return { reason: 'malformed', detail: 'block.dataHash: must be that of the capsule' }
  return null
}
