/**
 * The vault of an epoch: end-to-end encrypted notes that its members share.
 *
 * @module
 */
export {
  EpochVault,
  type EpochVaultOptions,
  type NewVaultNote,
  type VaultNoteEntry,
  type VaultNoteText,
  type VaultView,
} from './keys/vault/epoch-vault.ts'
export { EpochVaultError, type EpochVaultReason } from './keys/vault/vault-error.ts'
