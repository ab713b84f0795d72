/**
 * Identities and devices: keys, and what is signed without a client.
 *
 * @module
 */
export { Device, type DeviceOptions, type Membership as DeviceMembership } from './identity/device.ts'
export {
  Identity,
  type Lineage,
  type PreparedRecovery,
  type RecoveryOptions,
  type RequestToSign,
  type SignerOptions,
  type Signing,
} from './identity/identity.ts'
export type { NewMessage } from './identity/message.ts'
export type { IdentitySeeds } from './identity/own-keys.ts'
export type { SigningPurpose } from './identity/signing-key.ts'
export type { KeyAgreement, Signer } from './signers/signer.ts'
export { SignerError, type SignerReason } from './signers/signer-error.ts'
export type { WatchToken } from './watch/watch-token.ts'
