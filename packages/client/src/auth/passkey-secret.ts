/**
 * A secret of an application that follows a synchronized passkey to a new device: it is encrypted under the PRF output of
 * the passkey and kept with it at the sign-in service, which cannot read it.
 *
 * @module
 */
import { checkCall } from '../arguments/check.ts'
import { unwrapLocal, wrapLocal } from './local-wrap.ts'
import type { SignInSession } from './session.ts'

/** What `usePasskey` returns. */
export interface PasskeyLogin {
  readonly session: SignInSession
  readonly passkeyId: string
  /** Null if the passkey has no PRF. */
  readonly exportKey: Uint8Array | null
}

/**
 * Encrypts a secret under the key of the passkey that signed in, and keeps it with that passkey. Throws if the passkey has
 * no PRF. About 2,700 bytes fit. Keep a copy on the device too: any session of the account can replace or remove it.
 */
export async function keepSecret(login: PasskeyLogin, application: string, secret: Uint8Array): Promise<void> {
  checkCall('keepSecret', [login, application, secret], ['login', 'application', 'secret'])
  const { session, passkeyId, exportKey } = login
  if (exportKey === null) throw new Error('This passkey has no PRF: move the secret by pairing with another device')
  await session.keepSecret(passkeyId, wrapLocal(exportKey, application, secret))
}

/** Null if nothing is kept with the passkey, or the passkey has no PRF. Throws if it was encrypted under another key. */
export async function readSecret(login: PasskeyLogin, application: string): Promise<Uint8Array | null> {
  checkCall('readSecret', [login, application], ['login', 'application'])
  const { session, passkeyId, exportKey } = login
  if (exportKey === null) return null
  const wrapped = await session.keptSecret(passkeyId)
  return wrapped && unwrapLocal(exportKey, application, wrapped)
}
