import { IndexedDbStore } from '@svc/client/browser'

/** Keys that cannot leave WebCrypto, with the membership of their device. */
export const DEVICE_STORE = 'console-device'
/** Keys that are encrypted with a passkey or a passphrase. */
export const SEALED_DEVICE_STORE = 'console-device-sealed'

/**
 * Whether this browser is a device of an identity. Loads little, and makes no database, so that a visitor sees the page at
 * once and leaves nothing.
 */
export async function hasDevice(): Promise<boolean> {
  const there = await databaseNames()
  const stores = [DEVICE_STORE, SEALED_DEVICE_STORE]
    .filter((name) => there.has(name))
    .map((name) => new IndexedDbStore(name))
  const kept = await Promise.all(stores.map((store) => store.keys()))
  await Promise.all(stores.map((store) => store.close()))
  return kept.some((keys) => keys.length > 0)
}

/** None where the browser blocks storage. */
async function databaseNames(): Promise<ReadonlySet<string | undefined>> {
  try {
    return new Set((await indexedDB.databases()).map(({ name }) => name))
  } catch {
    return new Set()
  }
}

/** Whether keys can be kept here at all. */
export async function canKeepKeys(): Promise<boolean> {
  const store = new IndexedDbStore(DEVICE_STORE)
  try {
    await store.keys()
    await store.close()
    return true
  } catch {
    return false
  }
}
