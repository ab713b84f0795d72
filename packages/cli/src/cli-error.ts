import { EXIT, type ExitCode } from './exit-codes.ts'

/** A failure as it is told: one line, what to do next, and the page that explains it. */
export interface Failure {
  readonly exitCode: ExitCode
  /** A stable name to branch on. */
  readonly code: string
  readonly message: string
  readonly next: string
  /** A path on the documentation host, or a complete address. */
  readonly page: string
}

/** A failure that the command line itself finds. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.failure = failure
  }
}

export function usage(message: string, next: string): CliError {
  return new CliError({ exitCode: EXIT.usage, code: 'usage', message, next, page: '/developer/cli' })
}

/** A key is not there, or cannot be opened. */
export function locked(code: string, message: string, next: string): CliError {
  return new CliError({ exitCode: EXIT.locked, code, message, next, page: '/developer/cli#keys' })
}

/** What was shown does not verify. */
export function invalid(code: string, message: string, next: string): CliError {
  return new CliError({ exitCode: EXIT.invalid, code, message, next, page: '/developer/verification' })
}

/** A person said no. */
export function declined(): CliError {
  return new CliError({
    exitCode: EXIT.refused,
    code: 'declined',
    message: 'Nothing was done: you did not confirm',
    next: 'run it again and confirm, or pass --yes',
    page: '/developer/cli#scripts',
  })
}
