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
  const there = new Set((await indexedDB.databases()).map(({ name }) => name))
  const stores = [DEVICE_STORE, SEALED_DEVICE_STORE]
    .filter((name) => there.has(name))
    .map((name) => new IndexedDbStore(name))
  const kept = await Promise.all(stores.map((store) => store.keys()))
  await Promise.all(stores.map((store) => store.close()))
  return kept.some((keys) => keys.length > 0)
}
