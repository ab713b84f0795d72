/**
 * For Node.js, Deno and Bun: what a client has seen, and keys, kept in files.
 *
 * @module
 */
export { FileStore } from './file-store.ts'
export { KeyFile } from './key-file.ts'
