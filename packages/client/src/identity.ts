/**
 * Identities and devices: keys, and what is signed without a client.
 *
 * @module
 */
export { Device, type DeviceOptions } from './identity/device.ts'
export { type ExportedIdentity, exportIdentity, importIdentity } from './identity/export.ts'
export {
  Identity,
  type IdentitySeeds,
  type Lineage,
  type PreparedRecovery,
  type RecoveryOptions,
  type RequestToSign,
  type Signing,
} from './identity/identity.ts'
export type { NewMessage } from './identity/message.ts'
