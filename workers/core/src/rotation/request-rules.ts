/**
 * Whether a request to rotate can be accepted as such, whatever else is pending. Pure.
 *
 * @module
 */
import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RotationBasis, SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { basisOf } from '@svc/protocol/chain/succession'
import type { IdentityRecord } from '../identity/rules.ts'
import type { Times } from './rules.ts'

/** A request that came with a co-signature or an approval, and the root key that signed it; null if none did. */
export interface CarriedRequest {
  readonly request: SignedRotationRequest
  readonly requestedBy: string | null
}

export interface RotationGate {
  readonly acceptsV2: boolean
  readonly times: Times
}

export type RequestRefusal =
  | {
      readonly reason:
        | 'owner_mismatch'
        | 'rotation_v2_disabled'
        | 'key_superseded'
        | 'key_in_use'
        | 'key_not_committed'
        | 'invalid_signature'
        | 'rotation_limit'
        | 'rotation_disputed'
    }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  | { readonly reason: 'rotation_pending'; readonly rotationId: string }

/** What a rotation would change, signed or not. */
export interface RequestedRotation {
  readonly did: string
  readonly scope: string
  readonly version: 1 | 2
  readonly epoch: number
  readonly newPublicKeyB64u: string
  readonly next: readonly string[]
  readonly replaceable: boolean
}

/**
 * Whether a request can be accepted as such, and what it rests on. `signerUserId` is the root key whose signature on it
 * was verified; null if only the new key signed.
 */
export function checkRequest(
  identity: IdentityRecord,
  { did, scope, version, epoch, newPublicKeyB64u }: RequestedRotation,
  { signerUserId, isCosigned }: { readonly signerUserId: string | null; readonly isCosigned: boolean },
  gate: RotationGate,
  isKnown: (userId: string) => boolean,
): Result<RotationBasis, RequestRefusal> {
  if (did !== identity.did || scope !== identity.scope) return err({ reason: 'owner_mismatch' })
  if (version === 2 && !gate.acceptsV2) return err({ reason: 'rotation_v2_disabled' })
  if (epoch !== identity.current.epoch + 1) return err({ reason: 'stale_epoch', epoch: identity.current.epoch })
  const isSignedByRoot = signerUserId !== null
  if (isSignedByRoot && signerUserId !== identity.current.userId) return err({ reason: 'key_superseded' })
  // A superseded key can never return, and the current one cannot succeed itself.
  if (isKnown(userIdOfKey(newPublicKeyB64u))) return err({ reason: 'key_in_use' })
  const { commitment } = identity
  const basis = basisOf(commitment, { newPublicKeyB64u, version, isSignedByRoot, isCosigned })
  if (basis) return ok(basis)
  return err({ reason: commitment.next.length > 0 ? 'key_not_committed' : 'invalid_signature' })
}
