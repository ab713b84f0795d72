import type { KeyExportReason } from '@svc/client/backup'
import type { ServiceError } from '@svc/client/sign-in'
import { words } from '../words/failures/words.ts'
import type { SdkErrors } from './sdk-errors.ts'

/** What a person reads for a failure. By name, so that a failure loads nothing of the SDK. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return words.other
  if (error.name === 'SaidError') return error.message
  // A browser uses its other names for many things: who calls it says what they mean there.
  if (error.name === 'NotAllowedError') return words.promptClosed
  if (error.name === 'ChunkError') return words.notLoaded
  if (error.name === 'TimeoutError') return words.unreachable
  if (!isOfSdk(error.name)) return words.other
  const sentence = SENTENCES[error.name] as string | ((error: Error) => string)
  return typeof sentence === 'string' ? sentence : sentence(error)
}

/** Whether nobody foresaw this error, so that a person reads only that something went wrong. */
export function isUnforeseen(error: unknown): boolean {
  return sentenceOf(error) === words.other
}

type Sentences = { readonly [Name in keyof SdkErrors]: string | ((error: SdkErrors[Name]) => string) }

/** A new error of the SDK does not compile until it has a sentence here. */
const SENTENCES: Sentences = {
  // Of a program that calls the SDK wrongly: a person can do nothing about it.
  ArgumentError: words.other,
  ConfigurationError: words.other,
  ConnectionError: words.unreachable,
  DiscoveryError: words.caught.discovery,
  ForkError: words.caught.fork,
  KeyExportError: ({ reason }) => OF_KEYS[reason],
  RecoveryWordsError: ({ position }) => (position === null ? words.recoveryWords : words.recoveryWord(position)),
  RollbackError: words.caught.rollback,
  ServiceError: ofService,
  SignerError: ({ reason }) => (reason === 'wrong_signature' ? words.caught.signature : words.notSigned),
  StaleMirrorError: words.staleMirror,
  TextError: words.notText,
  UnprovedError: words.caught.unproved,
  VerificationError: words.caught.verification,
}

const OF_KEYS: Readonly<Record<KeyExportReason, string>> = {
  malformed: words.keysMalformed,
  mismatch: words.keysMismatch,
  not_opened: words.notOpened,
  refused: words.promptClosed,
  unsupported: words.cannotEncrypt,
}

function isOfSdk(name: string): name is keyof SdkErrors {
  return Object.hasOwn(SENTENCES, name)
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

/** Says what a failure of this name means where it is caught. Others go on as they are. */
export function saidAs(name: string, sentence: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Error && error.name === name ? new SaidError(sentence) : error
  }
}
