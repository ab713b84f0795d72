/**
 * Where a client keeps what it has seen, so that it outlives the program. The SDK has stores in memory, in IndexedDB
 * (`@svc/client/browser`) and in a file (`@svc/client/node`); an application can write another.
 *
 * @module
 */
import { checkCall } from '../arguments/check.ts'

/** Keys are short strings; values are JSON and have no secrets. What `set` has resolved must survive the program. */
export interface TrustStore {
  /** The value of a key; undefined without one. */
  get(key: string): Promise<unknown>
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  /** Every key; the one that was set longest ago comes first. */
  keys(): Promise<readonly string[]>
  /** The keys that begin with `prefix`, with their values, in any order: read at once, not one by one. */
  entries(prefix: string): Promise<readonly (readonly [key: string, value: unknown])[]>
  /**
   * Runs `work` while no other client of this store runs work under the same name, in any tab or process. Works under
   * different names do not wait for each other.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Lets work under one name wait for the work before it. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => null)
    this.#last.set(name, ended)
    void ended.then(() => {
      if (this.#last.get(name) === ended) this.#last.delete(name)
    })
    return turn
  }
}

/** Lasts as long as the program. */
export class VolatileStore implements TrustStore {
  // A Map keeps the order of insertion.
  readonly #values = new Map<string, unknown>()
  readonly #turns = new Turns()

  async get(key: string): Promise<unknown> {
    checkCall('volatileStore.get', [key], ['key'])
    return this.#values.get(key)
  }

  async set(key: string, value: unknown): Promise<void> {
    checkCall('volatileStore.set', [key, value], ['key', 'value'])
    this.#values.delete(key)
    this.#values.set(key, value)
  }

  async delete(key: string): Promise<void> {
    checkCall('volatileStore.delete', [key], ['key'])
    this.#values.delete(key)
  }

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.#values.keys()])
  }

  async entries(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    checkCall('volatileStore.entries', [prefix], ['prefix'])
    return [...this.#values].filter(([key]) => key.startsWith(prefix))
  }

  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    checkCall('volatileStore.exclusively', [name, work], ['name', 'work'])
    return this.#turns.take(name, work)
  }
}
