import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { DeviceRecord } from '@svc/protocol/base/device'
import type { Device } from '@svc/protocol/devices/inception'
import type { IdentityRecord } from '../identity/rules.ts'

/** A device as other Workers see it, under its owner's current root key. */
export function recordOf({ did, scope, current }: IdentityRecord, device: Device): DeviceRecord {
  const { deviceId, publicKeyB64u, rootEpoch, origin, capabilities, expiresAt, status } = device
  return {
    deviceId,
    publicKeyB64u,
    rootEpoch,
    origin,
    capabilities: [...capabilities],
    expiresAt,
    status,
    did,
    scope,
    userId: current.userId,
    currentEpoch: current.epoch,
    rootPublicKeyB64u: encodeBase64url(current.publicKey),
  }
}
