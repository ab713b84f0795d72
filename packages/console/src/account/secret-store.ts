import { keepSecret, readSecret, type SignedIn, unwrapLocal, wrapLocal } from '@svc/client/sign-in'
import { inBrowser } from '../kept/web-storage.ts'

/** A key of sign-in opens a secret for the application that encrypted it: this origin. */
const APPLICATION = location.origin
const MAX_KEPT = 8

/** What a login gives: another key for the password and for each passkey. */
export interface Unlocking extends SignedIn {
  readonly accountId: string
  /** Of the passkey that signed in. */
  readonly passkeyId: string | null
}

/** The secret of the account, if this login opens it in this browser. */
export function openHere({ accountId, exportKey }: Unlocking): Uint8Array | null {
  if (exportKey === null) return null
  for (const wrapped of keptFor(accountId)) {
    const secret = opened(exportKey, wrapped)
    if (secret) return secret
  }
  return null
}

/** Whether this browser keeps a secret of the account, which another way to sign in may open. */
export function isKeptHere(accountId: string): boolean {
  return keptFor(accountId).length > 0
}

/** Encrypts the secret under this login, beside what other logins of the account open. */
export function keepHere({ accountId, exportKey }: Unlocking, secret: Uint8Array): void {
  if (exportKey === null) return
  const others = keptFor(accountId).filter((wrapped) => opened(exportKey, wrapped) === null)
  const kept = [wrapLocal(exportKey, APPLICATION, secret), ...others].slice(0, MAX_KEPT)
  inBrowser.set(keyOf(accountId), JSON.stringify(kept))
}

export function forgetHere(accountId: string): void {
  inBrowser.delete(keyOf(accountId))
}

/** What follows a synchronized passkey to this device; null if there is nothing, or it does not open. */
export async function openWithPasskey(unlocking: Unlocking): Promise<Uint8Array | null> {
  const login = passkeyLogin(unlocking)
  if (!login) return null
  try {
    return await readSecret(login, APPLICATION)
  } catch (error) {
    // Encrypted under another key: who has a session can replace what is kept, and not read it.
    if (error instanceof Error && error.name !== 'ServiceError') return null
    throw error
  }
}

/** Keeps it with the passkey that signed in; false if a password did, or the passkey cannot encrypt. */
export async function keepWithPasskey(unlocking: Unlocking, secret: Uint8Array): Promise<boolean> {
  const login = passkeyLogin(unlocking)
  if (!login) return false
  await keepSecret(login, APPLICATION, secret)
  return true
}

function passkeyLogin({ session, passkeyId, exportKey }: Unlocking) {
  return passkeyId === null || exportKey === null ? null : { session, passkeyId, exportKey }
}

function opened(key: Uint8Array, wrapped: unknown): Uint8Array | null {
  try {
    return unwrapLocal(key, APPLICATION, wrapped)
  } catch {
    return null
  }
}

const keyOf = (accountId: string) => `svc-secret.${accountId}`

function keptFor(accountId: string): unknown[] {
  try {
    const kept: unknown = JSON.parse(inBrowser.get(keyOf(accountId)) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
