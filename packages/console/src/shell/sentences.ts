import type { KeyExportError } from '@svc/client/backup'
import type { ServiceError } from '@svc/client/sign-in'
import { words } from '../words/failures/words.ts'

/** What a person reads for a failure. By name, so that a failure loads nothing of the SDK. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return words.other
  switch (error.name) {
    case 'ServiceError':
      return ofService(error as ServiceError)
    case 'NotAllowedError':
      return words.promptClosed
    case 'InvalidStateError':
      return words.passkeyThere
    case 'ConnectionError':
      return words.unreachable
    case 'KeyExportError':
      return (error as KeyExportError).reason === 'not_opened' ? words.notOpened : words.other
    case 'TextError':
      return words.notText
    case 'SaidError':
      return error.message
    default:
      return words.other
  }
}

/** Whether a service refused with this name. */
export function isRefused(error: unknown, name: ServiceError['error']): boolean {
  return error instanceof Error && error.name === 'ServiceError' && (error as ServiceError).error === name
}

function ofService({ status, error, message, retryAfterSeconds }: ServiceError): string {
  if (status === 429) return words.tooMany(durationOf(retryAfterSeconds ?? 60))
  return Object.hasOwn(words.byError, error) ? words.byError[error as keyof typeof words.byError] : message
}

function durationOf(seconds: number): string {
  if (seconds <= 90) return words.seconds(seconds)
  return seconds <= 5400 ? words.minutes(Math.ceil(seconds / 60)) : words.hours(Math.ceil(seconds / 3600))
}

/** A failure with a sentence of its own. */
export class SaidError extends Error {
  override name = 'SaidError'
}
