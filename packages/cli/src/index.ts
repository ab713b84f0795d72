/**
 * The command line as a function, for tests and for programs that embed it.
 *
 * @module
 */
export type { Environment, Prompts } from './environment.ts'
export { EXIT, type ExitCode } from './exit-codes.ts'
export type { Keychain } from './keys/keychain.ts'
export { run } from './run.ts'
