/**
 * For browsers: what a client has seen, kept in IndexedDB.
 *
 * @module
 */
export { IndexedDbStore } from './indexed-db-store.ts'
