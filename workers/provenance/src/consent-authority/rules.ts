/**
 * Who may declare consent for a DID: its current root key, or one of its active devices with consent:write. An answer
 * by core about another key than the one asked for is not used.
 *
 * @module
 */

import { type DeviceRecord, deviceIdOf } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { ConsentSigner } from '@svc/protocol/consent/consent'
import type { KeyScope } from '@svc/protocol/internal/core'

/** The capability that a device needs. */
const CONSENT_CAPABILITY = 'consent:write'

export type Standing =
  | { readonly is: 'entitled'; readonly signer: ConsentSigner }
  | { readonly is: 'refused' }
  /** Core knows no such root key: the key may belong to a device. */
  | { readonly is: 'unknown' }
  | { readonly is: 'doubtful' }

export const REFUSED = { is: 'refused' } as const
export const UNKNOWN = { is: 'unknown' } as const
const DOUBTFUL = { is: 'doubtful' } as const

export function standingOfRoot(scope: KeyScope, did: string, publicKeyB64u: string): Standing {
  if (scope.publicKeyB64u !== publicKeyB64u || scope.userId !== userIdOfKey(publicKeyB64u)) return DOUBTFUL
  if (scope.did !== did) return REFUSED
  return { is: 'entitled', signer: { kind: 'root', epoch: scope.epoch } }
}

export function standingOfDevice(record: DeviceRecord, did: string, publicKeyB64u: string, now: number): Standing {
  if (record.publicKeyB64u !== publicKeyB64u || record.deviceId !== deviceIdOf(publicKeyB64u)) return DOUBTFUL
  const isInForce =
    record.did === did &&
    record.status === 'active' &&
    (record.expiresAt === null || record.expiresAt > now) &&
    // An attestation by a superseded root key is worthless.
    record.rootEpoch === record.currentEpoch &&
    record.capabilities.includes(CONSENT_CAPABILITY)
  if (!isInForce) return REFUSED
  return { is: 'entitled', signer: { kind: 'device', device_id: record.deviceId, epoch: record.currentEpoch } }
}

/** Refusals by core that are about the key. Any other means that core is unavailable and says nothing about the key. */
const REFUSALS_OF_A_KEY: readonly string[] = [
  'key_superseded',
  'did_deactivated',
  'device_keys_disabled',
  'attestation_unverifiable',
]

export function standingOfRefusal(failure: {
  readonly reason: 'unavailable' | 'refused'
  readonly error?: string
}): Standing {
  if (failure.reason === 'unavailable' || failure.error === undefined) return DOUBTFUL
  if (failure.error === 'not_found') return UNKNOWN
  return REFUSALS_OF_A_KEY.includes(failure.error) ? REFUSED : DOUBTFUL
}
