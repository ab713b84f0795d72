/**
 * The law of a key's standing: what core's answers about a key mean to somebody who only asks.
 *
 * @module
 */
import type { DeviceRecord } from '@svc/protocol/device'
import type { KeyScope } from '@svc/protocol/internal'
import type { KeyStatus } from '@svc/protocol/signature-check'

const nobody = { did: null, scope: null, epoch: null } as const
const UNKNOWN_KEY: KeyStatus = { state: 'unknown', kind: null, ...nobody }

/** A root key that core has vouched for as current. */
export function currentRoot({ did, scope, epoch }: KeyScope): KeyStatus {
  return { state: 'current', kind: 'root', did, scope, epoch }
}

/** What core's refusal says of a root key; null when it says that there is none. */
export function refusedRoot(error: string): KeyStatus | null {
  if (error === 'key_superseded') return { state: 'superseded', kind: 'root', ...nobody }
  if (error === 'did_deactivated') return { state: 'revoked', kind: 'root', ...nobody }
  return null
}

/** A device key by its record. A device that is suspended or has expired may not sign now, so it is not current. */
export function deviceStatus(record: DeviceRecord, now: number): KeyStatus {
  const { status, expiresAt, rootEpoch, currentEpoch, did, scope } = record
  if (status !== 'active') return { state: 'revoked', kind: 'device', ...nobody }
  if (expiresAt !== null && expiresAt <= now) return { state: 'revoked', kind: 'device', ...nobody }
  if (rootEpoch !== currentEpoch) return { state: 'superseded', kind: 'device', ...nobody }
  return { state: 'current', kind: 'device', did, scope, epoch: currentEpoch }
}

/** What core's refusal says of a device key; null when it is none that speaks of the key. */
export function refusedDevice(error: string): KeyStatus | null {
  if (error === 'attestation_unverifiable') return { state: 'superseded', kind: 'device', ...nobody }
  if (error === 'did_deactivated') return { state: 'revoked', kind: 'device', ...nobody }
  if (error === 'not_found' || error === 'device_keys_disabled') return UNKNOWN_KEY
  return null
}
