import { checkCall } from '../arguments/check.ts'
import type { TrustStore } from '../memory/trust-store.ts'

const VALUES = 'values'
const BY_ORDER = 'order'

interface Entry {
  readonly key: string
  readonly value: unknown
  /** Ascending with each `set`. */
  readonly order: number
}

/**
 * A trust store in the browser's IndexedDB, shared by the tabs and workers of an origin. Browsers may delete it when
 * space runs out, unless `navigator.storage.persist()` was granted; Safari deletes it after seven days without a visit.
 */
export class IndexedDbStore implements TrustStore {
  readonly #name: string
  #database: Promise<IDBDatabase> | undefined

  /** One name per deployment. */
  constructor(name = 'svc-trust') {
    checkCall('new IndexedDbStore', [name], ['name?'])
    this.#name = name
  }

  async get(key: string): Promise<unknown> {
    checkCall('indexedDbStore.get', [key], ['key'])
    const entry = await this.#run<Entry | undefined>('readonly', (values) => values.get(key))
    return entry?.value
  }

  async set(key: string, value: unknown): Promise<void> {
    checkCall('indexedDbStore.set', [key, value], ['key', 'value'])
    const database = await this.#open()
    await ended(database, (values) => {
      const newest = values.index(BY_ORDER).openCursor(null, 'prev')
      newest.addEventListener('success', () => {
        const { order = 0 } = (newest.result?.value ?? {}) as Partial<Entry>
        values.put({ key, value, order: order + 1 } satisfies Entry)
      })
    })
  }

  async delete(key: string): Promise<void> {
    checkCall('indexedDbStore.delete', [key], ['key'])
    await this.#run('readwrite', (values) => values.delete(key))
  }

  async keys(): Promise<readonly string[]> {
    const entries = await this.#run<Entry[]>('readonly', (values) => values.index(BY_ORDER).getAll())
    return entries.map(({ key }) => key)
  }

  async entries(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    checkCall('indexedDbStore.entries', [prefix], ['prefix'])
    const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
    const entries = await this.#run<Entry[]>('readonly', (values) => values.getAll(range))
    return entries.map(({ key, value }) => [key, value])
  }

  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    checkCall('indexedDbStore.exclusively', [name, work], ['name', 'work'])
    return navigator.locks.request(`${this.#name} ${name}`, work)
  }

  /** Lets go of the database, so that it can be deleted. The next call opens it again. */
  async close(): Promise<void> {
    const opened = this.#database
    this.#database = undefined
    const database = await opened
    database?.close()
  }

  async #run<T>(mode: IDBTransactionMode, ask: (values: IDBObjectStore) => IDBRequest): Promise<T> {
    const database = await this.#open()
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(VALUES, mode)
      const request = ask(transaction.objectStore(VALUES))
      transaction.addEventListener('complete', () => resolve(request.result as T))
      transaction.addEventListener('abort', () => reject(transaction.error))
    })
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= this.#opened().catch((error: unknown) => {
      this.#database = undefined
      throw error
    })
    return this.#database
  }

  #opened(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1)
      request.addEventListener('upgradeneeded', () => {
        request.result.createObjectStore(VALUES, { keyPath: 'key' }).createIndex(BY_ORDER, BY_ORDER)
      })
      request.addEventListener('error', () => reject(request.error))
      request.addEventListener('success', () => {
        const database = request.result
        database.addEventListener('versionchange', () => void this.close())
        resolve(database)
      })
    })
  }
}

/** Resolves when a write is on disk and not only in the browser's memory. */
function ended(database: IDBDatabase, write: (values: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(VALUES, 'readwrite', { durability: 'strict' })
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error))
    write(transaction.objectStore(VALUES))
  })
}
