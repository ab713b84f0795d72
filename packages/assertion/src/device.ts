/**
 * The rules for device assertions (workers/docs/pages/developer/devices.md): whether a device's claims match its current
 * state. Core applies them in the identity's object, all other services to the record core returns; both use this file.
 *
 * @module
 */
import type { Capability } from '#protocol/base/device'
import type { RouteCapability } from './requirement.ts'
import type { VerifiedAssertion } from './verify.ts'

/** Current state of a device and its owner. */
export interface DeviceStanding {
  readonly scope: string
  /** The userId of the owner's current root key. */
  readonly userId: string
  readonly currentEpoch: number
  readonly publicKeyB64u: string
  readonly rootEpoch: number
  readonly origin: string
  readonly capabilities: readonly Capability[]
  readonly expiresAt: number | null
  readonly status: 'active' | 'suspended' | 'revoked'
}

export type DeviceRefusal =
  | 'unknown_device'
  | 'device_key'
  | 'device_revoked'
  | 'device_suspended'
  | 'device_expired'
  | 'device_scope'
  | 'device_user'
  | 'device_epoch'
  | 'device_origin'
  | 'device_capabilities'

/** Compares every claim of a device with its record. Returns the first mismatch, or null. */
export function checkDevice(
  standing: DeviceStanding | null,
  { device, publicKeyB64u, userId }: VerifiedAssertion & { readonly device: NonNullable<VerifiedAssertion['device']> },
  now: number,
): DeviceRefusal | null {
  if (!standing) return 'unknown_device'
  if (standing.publicKeyB64u !== publicKeyB64u) return 'device_key'
  if (standing.status === 'revoked') return 'device_revoked'
  if (standing.status === 'suspended') return 'device_suspended'
  if (standing.expiresAt !== null && standing.expiresAt <= now) return 'device_expired'
  if (standing.scope !== device.scope) return 'device_scope'
  // An attestation by a superseded root key is no longer valid.
  if (standing.rootEpoch !== standing.currentEpoch || device.rootEpoch !== standing.currentEpoch) return 'device_epoch'
  if (standing.userId !== userId) return 'device_user'
  if (standing.origin !== device.origin) return 'device_origin'
  if (!device.capabilities.every((name) => standing.capabilities.includes(name))) return 'device_capabilities'
  return null
}

/** Whether a route accepts this caller. The root key may do everything. */
export function mayUse(
  required: RouteCapability,
  device: { readonly capabilities: readonly Capability[] } | null,
): boolean {
  if (!device || required === 'any') return true
  return required !== 'root' && device.capabilities.includes(required)
}
