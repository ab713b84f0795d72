import { checkCall } from '../arguments/check.ts'
import { exportKeys, importKeys } from '../backup/export.ts'
import { exportedKeysSchema } from '../backup/exported-keys.ts'
import type { KeyLock } from '../backup/key-lock.ts'
import { KEY_SET, type KeySet } from '../backup/key-set.ts'
import { IndexedDbStore } from './indexed-db-store.ts'

const KEY = 'keys'

/**
 * Keys in the browser's IndexedDB, encrypted with a passphrase or a passkey, in the format of `exportKeys`. Browsers may
 * delete what they store, so keep a backup elsewhere.
 */
export class IndexedDbKeys {
  readonly #store: IndexedDbStore

  /** One name per identity. */
  constructor(name = 'svc-keys') {
    checkCall('new IndexedDbKeys', [name], ['name?'])
    this.#store = new IndexedDbStore(name)
  }

  /** Encrypts the keys, and takes the place of what was there. */
  async save(keys: Partial<KeySet>, lock: KeyLock): Promise<void> {
    checkCall('indexedDbKeys.save', [keys, lock], [['keys', KEY_SET], 'lock'])
    await this.#store.set(KEY, await exportKeys(keys, lock))
  }

  /** Decrypts them; null if there are none. Throws a `KeyExportError` that says why it cannot. */
  async load(lock: KeyLock): Promise<KeySet | null> {
    checkCall('indexedDbKeys.load', [lock], ['lock'])
    const exported = await this.#store.get(KEY)
    return exported === undefined ? null : importKeys(exported, lock)
  }

  /** What to ask the person for: `passphrase`, or the passkey with this id. Null if there are no keys. */
  async lockedBy(): Promise<'passphrase' | { readonly credentialIdB64u: string } | null> {
    const { data } = exportedKeysSchema.safeParse(await this.#store.get(KEY))
    if (!data) return null
    return data.kdf.name === 'scrypt' ? 'passphrase' : { credentialIdB64u: data.kdf.credentialIdB64u }
  }

  async delete(): Promise<void> {
    await this.#store.delete(KEY)
  }

  /** Lets go of the database, so that it can be deleted. */
  close(): Promise<void> {
    return this.#store.close()
  }
}
