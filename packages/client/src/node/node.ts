/**
 * For Node.js, Deno and Bun: what a client has seen, kept in a file.
 *
 * @module
 */
export { FileStore } from './file-store.ts'
