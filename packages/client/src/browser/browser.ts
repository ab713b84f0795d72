/**
 * For browsers: what a client has seen, and encrypted keys, kept in IndexedDB; and passkeys that encrypt them.
 *
 * @module
 */

export { IndexedDbKeys } from './indexed-db-keys.ts'
export { IndexedDbStore } from './indexed-db-store.ts'
export { createPasskeyKey, type PasskeyOptions, passkeyKey } from './passkey-key.ts'
