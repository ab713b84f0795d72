import type { Caller, VerifiedAssertion } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { IdentityRecord } from './rules.ts'

/** The caller of a request whose assertion was spent. */
export function callerOf(
  { did, scope, current }: IdentityRecord,
  { device, publicKeyB64u }: VerifiedAssertion,
): Caller {
  return {
    userId: current.userId,
    did,
    scope,
    epoch: current.epoch,
    publicKeyB64u: encodeBase64url(current.publicKey),
    device: device && { deviceId: device.deviceId, publicKeyB64u, capabilities: device.capabilities },
  }
}
