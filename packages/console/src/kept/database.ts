import { type TrustStore, VolatileStore } from '@svc/client'
import { IndexedDbStore } from '@svc/client/browser'

const opened = new Map<string, TrustStore>()

/**
 * A database of this browser. Where it blocks storage, its values last as long as the page. Not for keys, which must not
 * be lost with it.
 */
export function databaseOf(name: string): TrustStore {
  const database = opened.get(name) ?? withFallback(new IndexedDbStore(name), new VolatileStore())
  opened.set(name, database)
  return database
}

export function withFallback(database: TrustStore, page: TrustStore): TrustStore {
  let isBlocked = false
  const tried = async <T>(work: (store: TrustStore) => Promise<T>): Promise<T> => {
    if (isBlocked) return work(page)
    try {
      return await work(database)
    } catch (error) {
      // A browser that blocks storage does so until it is told otherwise. What else fails is not hidden.
      if (!isBlockedBy(error)) throw error
      isBlocked = true
      return work(page)
    }
  }
  return {
    get: (key) => tried((store) => store.get(key)),
    set: (key, value) => tried((store) => store.set(key, value)),
    delete: (key) => tried((store) => store.delete(key)),
    keys: () => tried((store) => store.keys()),
    entries: (prefix) => tried((store) => store.entries(prefix)),
    // Locks are not storage, but a browser without the one often has no other.
    exclusively: (name, work) => (hasLocks() ? database.exclusively(name, work) : page.exclusively(name, work)),
  }
}

const BLOCKED = ['SecurityError', 'UnknownError', 'InvalidStateError', 'NotAllowedError', 'QuotaExceededError']

/** Without `indexedDB` there is a ReferenceError; with it null, as some browsers have it, a TypeError. */
function isBlockedBy(error: unknown): boolean {
  if (error instanceof ReferenceError || error instanceof TypeError) return true
  return error instanceof Error && BLOCKED.includes(error.name)
}

const hasLocks = (): boolean => globalThis.navigator?.locks !== undefined
