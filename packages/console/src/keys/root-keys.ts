/**
 * The root key, encrypted, for the acts that only it can do, and the ones before it, for what was encrypted to them. A
 * console that was paired has none. They are decrypted for one act at a time and never kept open.
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

/** The root key, earlier root keys, and the recovery: its requests, and the records of the sheets without words. */
export type RootKeys = Pick<KeySet, 'former' | 'recovery' | 'sheets'> & { readonly identity: Identity }

export async function openRootKeys(lock: Lock): Promise<RootKeys> {
  const { identity = null, former = [], recovery = null, sheets = [] } = (await store().load(lock)) ?? {}
  if (!identity) throw new TypeError('There is no root key here')
  return { identity, former, recovery, sheets }
}

export const forgetRoot = (): Promise<void> => store().delete()
