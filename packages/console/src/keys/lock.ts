import { createPasskeyKey, passkeyKey } from '@svc/client/browser'

/** What keys are encrypted with: a passphrase, or what a passkey gave. */
export type Lock = string | Awaited<ReturnType<typeof createPasskeyKey>>
export type LockedBy = 'passphrase' | { readonly credentialIdB64u: string }

export const MIN_PASSPHRASE = 12

/** A new passkey of this browser for keys. */
export const newPasskeyLock = (userName: string): Promise<Lock> =>
  createPasskeyKey({ application: 'Console', userName })

export const openPasskeyLock = (by: Exclude<LockedBy, 'passphrase'>): Promise<Lock> => passkeyKey(by.credentialIdB64u)
