/**
 * Backups: the keys of an identity and its devices as one encrypted file.
 *
 * @module
 */
export { exportKeys, importKeys } from './backup/export.ts'
export { KeyExportError, type KeyExportReason } from './backup/export-error.ts'
export { type ExportedKeys, exportedKeysSchema } from './backup/exported-keys.ts'
export type { KeyLock, PasskeyKey } from './backup/key-lock.ts'
export { formerAfter, type KeySet, keySetSchema } from './backup/key-set.ts'
