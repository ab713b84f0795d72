/**
 * The status of a key, derived from core's answers.
 *
 * @module
 */
import type { DeviceRecord } from '@svc/protocol/base/device'
import type { KeyScope } from '@svc/protocol/internal/core'
import type { KeyStatus } from '@svc/protocol/provenance/signature-check'

const nobody = { did: null, scope: null, epoch: null } as const
const UNKNOWN_KEY: KeyStatus = { state: 'unknown', kind: null, ...nobody }

/** A root key that core has confirmed as current. */
export function currentRoot({ did, scope, epoch }: KeyScope): KeyStatus {
  return { state: 'current', kind: 'root', did, scope, epoch }
}

/** The status that core's refusal implies for a root key; null if core says that there is none. */
export function refusedRoot(error: string): KeyStatus | null {
  if (error === 'key_superseded') return { state: 'superseded', kind: 'root', ...nobody }
  if (error === 'did_deactivated') return { state: 'revoked', kind: 'root', ...nobody }
  return null
}

/** The status of a device key by its record. A suspended or expired device may not sign now, so it is not current. */
export function deviceStatus(record: DeviceRecord, now: number): KeyStatus {
  const { status, expiresAt, rootEpoch, currentEpoch, did, scope } = record
  if (status !== 'active') return { state: 'revoked', kind: 'device', ...nobody }
  if (expiresAt !== null && expiresAt <= now) return { state: 'revoked', kind: 'device', ...nobody }
  if (rootEpoch !== currentEpoch) return { state: 'superseded', kind: 'device', ...nobody }
  return { state: 'current', kind: 'device', did, scope, epoch: currentEpoch }
}

/** The status that core's refusal implies for a device key; null if the refusal is not about the key. */
export function refusedDevice(error: string): KeyStatus | null {
  if (error === 'attestation_unverifiable') return { state: 'superseded', kind: 'device', ...nobody }
  if (error === 'did_deactivated') return { state: 'revoked', kind: 'device', ...nobody }
  if (error === 'not_found' || error === 'device_keys_disabled') return UNKNOWN_KEY
  return null
}
