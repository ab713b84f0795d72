import type { ConfigurationError, ServiceError, SignerError, VerificationError } from '@svc/client'
import type { KeyExportError } from '@svc/client/backup'
import { CliError, type Failure } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'

/**
 * What to do next, for the refusals that a command of `svc` answers. The page of each error has more; the others point
 * there.
 */
const NEXT: Readonly<Record<string, string>> = {
  genesis_conflict: 'svc chain head shows the chain that exists',
  stale_head: 'run it again; it builds on the newest head',
  stale_epoch: 'svc rotate history shows the current root key; import it with svc id import',
  security_hold: 'find out who placed the hold; the root key lifts it with svc rotate lift',
  key_superseded: 'import the new root key with svc id import; if you did not replace it, svc rotate veto',
  did_deactivated: 'use another identity: this one has ended for good',
  stale_inception_head: 'run it again',
  device_limit: 'svc device list, then svc device revoke those you no longer use',
  cosigner_required: 'svc rotate cosign, on a device of the identity; then svc rotate activate',
  rotation_pending: 'svc rotate status; if it is not yours, svc rotate veto',
  quota_exhausted: 'svc quota shows what is left; svc pay offer shows what there is more',
  assertion_expired: 'svc doctor compares your clock with that of core',
  assertion_not_yet_valid: 'svc doctor compares your clock with that of core',
  consent_held: 'svc consent history shows who holds it, and whether your declaration is kept as a claim',
  capsule_exists: 'svc verify FILE shows the registration that you have; svc capsule delete deletes it',
  owner_unresolvable: 'check the asset; its owner takes messages after svc did register',
  licence_required: 'svc pay offer shows the plans that have organizations',
  unknown_signer: 'ask the operator to add the key',
  token_rejected: 'the session has ended: svc signin login NAME',
  cors_denied: 'svc init --origin URL with an origin that the deployment allows',
}

/** The command that helps with a refusal; null if there is none. */
export function nextFor(code: string): string | null {
  return NEXT[code] ?? null
}

/** Every error as one line, what to do next, and the page. `docs` is the documentation host, where it is known. */
export function failureOf(error: unknown, docs: string): Failure {
  const failure = known(error) ?? internal(error)
  return { ...failure, page: failure.page.startsWith('/') ? docs + failure.page : failure.page }
}

/** By name, so that a failure loads nothing of the SDK. */
function known(error: unknown): Failure | null {
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
    case 'ConfigurationError':
      return ofOption(error as ConfigurationError)
    default:
      return null
  }
}

function ofService({
  error: code,
  message,
  status,
  retryAfterSeconds,
  docs,
  docsPath,
  requestId,
}: ServiceError): Failure {
  const page = docs ?? docsPath
  const named = requestId === undefined ? '' : `, request ${requestId}`
  const told = `${message} (${code}, ${status}${named})`
  if (status === 429) return { exitCode: EXIT.refused, code, message: told, next: waiting(retryAfterSeconds), page }
  if (status >= 500)
    return {
      exitCode: EXIT.unreachable,
      code,
      message: told,
      next: 'try again later; svc doctor shows which services answer',
      page,
    }
  return {
    exitCode: EXIT.refused,
    code,
    message: told,
    next: nextFor(code) ?? `svc explain error ${quoted(code)}`,
    page,
  }
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

function ofEvidence({ name, message, reason, subject }: VerificationError): Failure {
  const contradicts = ['RollbackError', 'ForkError', 'UnprovedError'].includes(name)
  return {
    exitCode: EXIT.invalid,
    code: reason,
    message: `${message} (${subject}, ${reason})`,
    next: contradicts
      ? 'run it again with --json 2>evidence.json, keep that file, and ask the operator'
      : 'do not rely on it; ask for another copy',
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

function ofOption({ message, option }: ConfigurationError): Failure {
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

function quoted(code: string): string {
  return /^[\w-]+$/.test(code) ? code : `'${code}'`
}
