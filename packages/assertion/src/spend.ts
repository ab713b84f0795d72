/** What spending an assertion gives: who called, or why it was refused. */
import type { Capability } from '@svc/protocol/device'
import type { DeviceRefusal } from './device.ts'

/** A caller whose key core has vouched for and whose nonce is spent. */
export interface Caller {
  readonly userId: string
  readonly did: string
  readonly scope: string
  readonly epoch: number
  /** The current root key. */
  readonly publicKeyB64u: string
  /** The device that signed, with what it claims and may; null for the root key. */
  readonly device: {
    readonly deviceId: string
    readonly publicKeyB64u: string
    readonly capabilities: readonly Capability[]
  } | null
}

export type SpendRefusal =
  | { readonly reason: 'unknown_key' | 'superseded' | 'deactivated' | 'replay' | 'expired' }
  | { readonly reason: DeviceRefusal }
  /** The device is in order and may not do this. */
  | { readonly reason: 'capability' }
  /** Refusals that core's internal routes name and that are passed on verbatim. */
  | { readonly reason: 'device_keys_disabled' | 'device_index_unavailable' | 'attestation_unverifiable' }
  | { readonly reason: 'unavailable'; readonly dependency: string }
