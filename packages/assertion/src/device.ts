/**
 * The law of device assertions: whether what a device claims is in force (document 1 section 5.6). Core decides it in
 * the identity's own object, every other service on the record that core gives it; both by this file.
 *
 * @module
 */
import type { Capability } from '@svc/protocol/device'
import type { RouteCapability } from './capability.ts'
import type { VerifiedAssertion } from './verify.ts'

/** What is in force for a device and its owner. */
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

/** The first thing that does not hold, or null. Everything a device says of itself is compared with its record. */
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
  // An attestation by a root key that was superseded vouches for nothing.
  if (standing.rootEpoch !== standing.currentEpoch || device.rootEpoch !== standing.currentEpoch) return 'device_epoch'
  if (standing.userId !== userId) return 'device_user'
  if (standing.origin !== device.origin) return 'device_origin'
  if (!device.capabilities.every((name) => standing.capabilities.includes(name))) return 'device_capabilities'
  return null
}

/** Whether a route takes this caller. The root key may do everything. */
export function mayUse(
  required: RouteCapability,
  device: { readonly capabilities: readonly Capability[] } | null,
): boolean {
  if (!device || required === 'any') return true
  return required !== 'root' && device.capabilities.includes(required)
}
