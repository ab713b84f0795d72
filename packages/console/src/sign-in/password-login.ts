import { type LoggedIn, ServiceError, type SignIn } from '@svc/client/sign-in'
import type { Challenge } from './challenge.ts'

/** What the last login left on this device, so that other people's guesses do not lock it out. */
const KNOWN_DEVICE = 'svc-known-device'
const MIN_PASSWORD_CHARS = 8

/** Null if name and password do not belong together. */
export async function logIn(
  signIn: SignIn,
  challenge: Challenge,
  identifier: string,
  password: string,
): Promise<LoggedIn | null> {
  const knownDevice = localStorage.getItem(KNOWN_DEVICE) ?? undefined
  const attempt = (challengeToken?: string) => signIn.logIn(identifier, password, { knownDevice, challengeToken })
  const entered = await attempt().catch(async (error: unknown) => {
    if (error instanceof ServiceError && error.error === 'challenge_required')
      return attempt(await challenge.token('login'))
    throw error
  })
  if (entered) localStorage.setItem(KNOWN_DEVICE, entered.knownDevice)
  return entered
}

/** Why a new password cannot be used. The service never sees it, so only this page can tell. */
export function passwordFault(password: string): string | null {
  return password.length < MIN_PASSWORD_CHARS ? `Use at least ${MIN_PASSWORD_CHARS} characters.` : null
}
