/**
 * The root key, encrypted, for the acts that only it can do. A console that was paired has none. It is decrypted for one
 * act at a time and never kept open.
 *
 * @module
 */
import type { Identity } from '@svc/client'
import type { KeySet } from '@svc/client/backup'
import { IndexedDbKeys } from '@svc/client/browser'
import type { Lock, LockedBy } from './lock.ts'

const store = () => new IndexedDbKeys('console-root')

export const keepRoot = (keys: Partial<KeySet>, lock: Lock): Promise<void> => store().save(keys, lock)

/** What opens it; null if there is none here. */
export const rootLockedBy = (): Promise<LockedBy | null> => store().lockedBy()

export async function openRoot(lock: Lock): Promise<Identity> {
  const identity = (await store().load(lock))?.identity
  if (!identity) throw new TypeError('There is no root key here')
  return identity
}

export const forgetRoot = (): Promise<void> => store().delete()
