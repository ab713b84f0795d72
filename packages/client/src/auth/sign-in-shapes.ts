import type { Members } from '../arguments/check.ts'
import type { TransportOptions } from '../transport/transport.ts'
import type { SignInSession } from './session.ts'

export interface SignInOptions
  extends Pick<TransportOptions, 'fetch' | 'origin' | 'headers' | 'retries' | 'signal' | 'timeoutMs'> {
  /** Origin of the sign-in service: `https://auth.example`. */
  readonly auth: string
}

/** What `new SignIn` takes. */
export const OPTIONS: Members<SignInOptions> = {
  auth: 1,
  fetch: 0,
  origin: 0,
  headers: 0,
  retries: 0,
  signal: 0,
  timeoutMs: 0,
}

/** A signed-in person. */
export interface SignedIn {
  readonly session: SignInSession
  /** Only for `wrapLocal`; null if a passkey has no PRF. It never leaves the device. */
  readonly exportKey: Uint8Array | null
}

/** Signed in by password. Keep `knownDevice` for the next login, so that other people's attempts do not block this device. */
export interface LoggedIn extends SignedIn {
  /** Only for `wrapLocal`; the same at every login with this password. It never leaves the device. */
  readonly exportKey: Uint8Array
  readonly knownDevice: string
}

/**
 * What became of a registration. An address is confirmed first: ask for the code from the mail. The caller is not told
 * whether the address has an account; its owner is, in the mail.
 */
export type Registered =
  | ({ readonly outcome: 'signed-in' } & LoggedIn)
  | { readonly outcome: 'taken' }
  | {
      readonly outcome: 'confirm-by-mail'
      /** Signs in. Throws a `ServiceError`: `code_rejected` for a wrong code (`details.attemptsLeft` of five); `code_unusable` if it is too late. */
      confirm(code: string): Promise<LoggedIn>
    }

/** Starts a redirect to an identity provider: keep the verifier until it returns. */
export interface OnboardingStart {
  readonly url: string
  readonly verifier: string
}

export interface AttemptOptions {
  /** What an earlier login with the same identifier left on this device. */
  readonly knownDevice?: string | undefined
  /** A token of the bot challenge for the action `login`, after a `ServiceError` with the error `challenge_required`. */
  readonly challengeToken?: string | undefined
  /** Names this device in the list of known devices. */
  readonly deviceLabel?: string | undefined
}

export const ATTEMPT: Members<AttemptOptions> = { knownDevice: 0, challengeToken: 0, deviceLabel: 0 }

export interface PasskeyUse {
  readonly autofill?: boolean
  /** Ends an autofill offer. */
  readonly signal?: AbortSignal
}
