import type { AttemptOptions, LoggedIn } from '@svc/client/sign-in'
import { secretOf } from '@svc/client/text'
import { isRefused, SaidError } from '../failures/sentences.ts'
import { inBrowser } from '../kept/web-storage.ts'
import { words } from '../words/sign-in/words.ts'
import type { SignInActs } from './acts.ts'
import type { Challenge } from './challenge.ts'
import { deviceLabel } from './device-label.ts'

/** What the last login left on this device, so that other people's guesses do not lock it out. */
const KNOWN_DEVICE = 'svc-known-device'
const MIN_PASSWORD_CHARS = 8

export function attemptOf(challengeToken?: string): AttemptOptions {
  const knownDevice = inBrowser.get(KNOWN_DEVICE) ?? undefined
  return { knownDevice, challengeToken, deviceLabel: deviceLabel() }
}

export function rememberDevice({ knownDevice }: LoggedIn): void {
  inBrowser.set(KNOWN_DEVICE, knownDevice)
}

/** Null if name and password do not belong together. */
export async function logIn(
  signIn: SignInActs,
  challenge: Challenge,
  identifier: string,
  password: string,
): Promise<LoggedIn | null> {
  const attempt = (challengeToken?: string) => signIn.logIn(identifier, password, attemptOf(challengeToken))
  const entered = await attempt().catch(async (error: unknown) => {
    if (isRefused(error, 'challenge_required')) return attempt(await challenge.token('login')).catch(explained)
    return explained(error)
  })
  if (entered) rememberDevice(entered)
  return entered
}

/** Why a new password cannot be used. The service never sees it, so only this page can tell. */
export function passwordFault(password: string): string | null {
  return secretOf(password).length < MIN_PASSWORD_CHARS ? words.tooShort(MIN_PASSWORD_CHARS) : null
}

/** Of what a person enters, the service sees the name alone. */
export function explained(error: unknown): never {
  throw isRefused(error, 'invalid_request') ? new SaidError(words.wrongName) : error
}
