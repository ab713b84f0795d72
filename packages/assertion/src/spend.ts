/** Results of spending an assertion: the caller, or the reason for refusal. */
import type { Capability } from '#protocol/base/device'
import type { DeviceRefusal } from './device.ts'

/** An authenticated caller: core has vouched for the key, and the nonce is spent. */
export interface Caller {
  readonly userId: string
  readonly did: string
  readonly scope: string
  readonly epoch: number
  /** The current root key. */
  readonly publicKeyB64u: string
  /** The signing device with its claimed capabilities, which were verified; null for the root key. */
  readonly device: {
    readonly deviceId: string
    readonly publicKeyB64u: string
    readonly capabilities: readonly Capability[]
  } | null
}

export type SpendRefusal =
  | { readonly reason: 'unknown_key' | 'superseded' | 'deactivated' | 'replay' | 'expired' }
  | { readonly reason: DeviceRefusal }
  /** The device is valid but lacks the required capability. */
  | { readonly reason: 'capability' }
  /** Core found that a device is not what it claims, and keeps to itself in what way. */
  | { readonly reason: 'device_refused' }
  /** Refusals of core's internal routes, passed on verbatim. */
  | { readonly reason: 'device_keys_disabled' | 'device_index_unavailable' | 'attestation_unverifiable' }
  | { readonly reason: 'unavailable'; readonly dependency: string }
