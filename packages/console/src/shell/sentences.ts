import { ServiceError } from '@svc/client/sign-in'

/** What a person reads for a failure, by the service's name for it. */
const SENTENCES: Readonly<Record<string, string>> = {
  account_exists: 'There is an account for this person already. Sign in to it, or recover it.',
  code_rejected: 'That code is wrong. Check the mail and try again.',
  code_unusable: 'This took too long, or was used already. Start again.',
  cors_denied: 'The sign-in service does not accept this page. Ask the operator.',
  dependency_unavailable: 'The sign-in service is not available. Try again in a minute.',
  invalid_request:
    'Enter a user name or e-mail address. A user name has letters, digits, periods, hyphens and underscores.',
  provider_disabled: 'This provider is not set up here. Use another way to continue.',
  sign_in_rejected: 'The sign-in was not accepted. Check what you entered, or use another way to sign in.',
  token_rejected: 'Your session has ended. Sign in again.',
}

export function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError && error.status === 429)
    return `Too many attempts. Try again in ${durationOf(error.retryAfterSeconds ?? 60)}.`
  if (error instanceof ServiceError) return SENTENCES[error.error] ?? error.message
  if (!(error instanceof Error)) return 'Something went wrong. Try again.'
  switch (error.name) {
    case 'NotAllowedError':
      return 'The prompt was closed, or no passkey was chosen. Try again.'
    case 'InvalidStateError':
      return 'This device has a passkey for this account already.'
    case 'ConnectionError':
      return 'The service cannot be reached. Check your connection, and try again.'
    case 'SaidError':
      return error.message
    default:
      return 'Something went wrong. Try again.'
  }
}

function durationOf(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return seconds <= 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}

/** A failure with a sentence of its own. */
export class SaidError extends Error {
  override name = 'SaidError'
}
