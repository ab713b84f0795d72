import type { ConfigurationError, ServiceError, SignerError, VerificationError } from '#client'
import type { KeyExportError } from '#client/backup'
import { CliError, type Failure } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'

/** Every error as one line, what to do next, and the page. `docs` is the origin of the documentation. */
export async function failureOf(error: unknown, docs: string): Promise<Failure> {
  const failure = (await known(error)) ?? internal(error)
  return { ...failure, page: failure.page.startsWith('/') ? docs + failure.page : failure.page }
}

/** By name, so that a failure loads nothing of the SDK. */
async function known(error: unknown): Promise<Failure | null> {
  if (error instanceof CliError) return error.failure
  if (!(error instanceof Error)) return null
  switch (error.name) {
    case 'ServiceError':
      return ofService(error as ServiceError)
    case 'ConnectionError':
      return unreachable(error)
    case 'StaleMirrorError':
      return unreachable(error)
    case 'VerificationError':
    case 'DiscoveryError':
    case 'RollbackError':
    case 'ForkError':
    case 'UnprovedError':
      return ofEvidence(error as VerificationError)
    case 'KeyExportError':
      return ofKeys(error as KeyExportError)
    case 'SignerError':
      return ofSigner(error as SignerError)
    case 'ArgumentError':
      return ofOption({ message: error.message, option: '' })
    case 'ConfigurationError':
      return ofOption(error as ConfigurationError)
    default:
      return null
  }
}

async function ofService({
  error: code,
  message,
  status,
  retryAfterSeconds,
  docs,
  docsPath,
  requestId,
}: ServiceError): Promise<Failure> {
  const page = docs ?? docsPath
  const named = requestId === undefined ? '' : `, request ${requestId}`
  const told = `${message} (${code}, ${status}${named})`
  if (code === 'rate_limited')
    return { exitCode: EXIT.refused, code, message: told, next: waiting(retryAfterSeconds), page }
  const { nextStepOf } = await import('./advice/next-step.ts')
  const next = nextStepOf(code) ?? 'svc doctor shows which services answer'
  return { exitCode: status >= 500 ? EXIT.unreachable : EXIT.refused, code, message: told, next, page }
}

function waiting(seconds: number | undefined): string {
  return seconds === undefined ? 'wait a minute, then run it again' : `wait ${seconds} seconds, then run it again`
}

function unreachable({ message }: Error): Failure {
  return {
    exitCode: EXIT.unreachable,
    code: 'unreachable',
    message,
    next: 'svc doctor shows which services answer',
    page: '/developer/status',
  }
}

/** What a person does about it, by subject and reason. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  'inbox modified':
    'if the root key was replaced, read it where that was done: the keys of before are kept there, and svc id export takes them along; otherwise do not rely on it',
  'memory malformed': 'restore that file, or move it away: svc then learns again what it has seen',
  'note unordered':
    'svc note read NOTE --accept-ended shows it; if you know what it says, svc note write --over NOTE signs it anew',
  'note wrong_key': 'svc note share --all, on a device where it opens',
}

function ofEvidence({ name, message, reason, subject }: VerificationError): Failure {
  const contradicts = ['RollbackError', 'ForkError', 'UnprovedError'].includes(name)
  return {
    exitCode: EXIT.invalid,
    code: reason,
    message: `${message} (${subject}, ${reason})`,
    next: contradicts
      ? 'run it again with --json 2>evidence.json, keep that file, and ask the operator'
      : (NEXT_STEPS[`${subject} ${reason}`] ?? 'do not rely on it; ask for another copy'),
    page: '/developer/verification',
  }
}

function ofKeys({ message, reason }: KeyExportError): Failure {
  const isLocked = reason === 'not_opened'
  return {
    exitCode: isLocked ? EXIT.locked : EXIT.invalid,
    code: reason,
    message,
    next: isLocked
      ? 'type the passphrase again, or take another backup'
      : 'take another backup: this file is damaged or no export',
    page: '/developer/backup',
  }
}

function ofSigner({ message, reason }: SignerError): Failure {
  return {
    exitCode: reason === 'refused' ? EXIT.refused : EXIT.locked,
    code: `signer_${reason}`,
    message,
    next:
      reason === 'refused'
        ? 'approve it in the program that holds the key'
        : 'start the program by itself and see what it says',
    page: '/developer/signers',
  }
}

function ofOption({ message, option }: Pick<ConfigurationError, 'message' | 'option'>): Failure {
  if (option === 'dispute')
    return {
      exitCode: EXIT.refused,
      code: 'rotation_pending',
      message,
      next: 'run it with the words that the other rotation was started with, or with --dispute if it is not yours',
      page: '/developer/rotation#recover',
    }
  const isKey = ['identity', 'device', 'keys'].includes(option)
  return {
    exitCode: isKey ? EXIT.locked : EXIT.usage,
    code: isKey ? 'key_missing' : 'usage',
    message,
    next: isKey ? 'svc id list shows the keys on this machine' : 'svc help shows the options',
    page: '/developer/cli',
  }
}

/** A fault of `svc`. */
function internal(error: unknown): Failure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    exitCode: EXIT.internal,
    code: 'internal',
    message: `svc failed: ${message}`,
    next: 'report it with the command that you ran',
    page: '/developer/cli#exit-codes',
  }
}
