import type { SignIn } from '@svc/client/sign-in'
import { SaidError } from '../shell/sentences.ts'
import { passwordFault } from './password-login.ts'

/** Registers a password. Whether the name was free shows at the next login. */
export async function registerPassword(
  signIn: SignIn,
  grant: () => Promise<string>,
  identifier: string,
  password: string,
): Promise<void> {
  if (identifier.trim() === '') throw new SaidError('Enter a user name or your e-mail address.')
  const fault = passwordFault(password)
  if (fault !== null) throw new SaidError(fault)
  await signIn.register(await grant(), identifier, password)
}
