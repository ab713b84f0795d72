/**
 * For Node.js, Deno and Bun: what a client has seen, and keys, kept in files, and keys of another program.
 *
 * @module
 */
export { FileStore } from './file-store.ts'
export { KeyFile } from './key-file.ts'
export { ProcessSigner, type ProcessSignerOptions } from './process-signer.ts'
