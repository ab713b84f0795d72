import type { Realms } from '#protocol/base/realm'
import { checkCall } from '../arguments/check.ts'
import { KnownLogs, type Remembered } from './known-logs.ts'
import type { MemoryValue } from './memory-value.ts'
import { type TrustStore, VolatileStore } from './trust-store.ts'

/** Whose logs a store has. */
const REALM = 'realm'

export interface MemoryOptions {
  /** Where it is kept; default: as long as the program runs. */
  readonly store?: TrustStore | undefined
  /** What another memory exported. Merged at the first use. */
  readonly value?: MemoryValue | undefined
}

/**
 * What a client has seen and signed. A service that contradicts it is refused with a `HistoryError`. It lasts as long as
 * its store; `export` and `merge` carry it to other clients.
 */
export class Memory extends KnownLogs {
  readonly #realms: Realms
  readonly #given: MemoryValue | undefined
  #opened: Promise<void> | undefined

  /** `realms` are those of the deployment: what another one showed contradicts nothing here. */
  constructor(realms: Realms, options: MemoryOptions = {}) {
    checkCall('new Memory', [realms, options], ['realms', ['options?', { store: 0, value: 0 }]])
    const { store, value } = options
    super(store)
    this.#realms = realms
    this.#given = value
  }

  /** Everything as one JSON value. It has signatures and public data, and the payload of a block without an answer. */
  async export(): Promise<MemoryValue> {
    await this.ready()
    const { readMemoryValue } = await import('./memory-value.ts')
    const logs = (await this.all()).map(({ name, pieces, pending }) => ({ ...name, pieces, pending }))
    return readMemoryValue({ format: 'svc/client-memory/v1', realm: this.#realms[0], logs })
  }

  /**
   * Adds what another client remembers. Throws a `ForkError` if both saw different things in one place, after adding the
   * rest. Where one saw more, the service must prove to the next call that it extends what the other saw. Throws a
   * TypeError for the memory of another deployment.
   */
  async merge(value: MemoryValue): Promise<void> {
    checkCall('memory.merge', [value], ['value'])
    await this.ready()
    await this.#merge(value)
  }

  protected override ready(): Promise<void> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  protected override async checked(values: readonly unknown[]): Promise<readonly Remembered[]> {
    // Nobody but this program has written there.
    if (values.length === 0 || this.store instanceof VolatileStore) return super.checked(values)
    const { readStoredLog } = await import('./stored-log.ts')
    return Promise.all(values.map(readStoredLog))
  }

  async #open(): Promise<void> {
    await this.store.exclusively(REALM, async () => {
      const realm = await this.store.get(REALM)
      if (realm === undefined) await this.store.set(REALM, this.#realms[0])
      else this.#refuseForeign(realm)
    })
    if (this.#given) await this.#merge(this.#given)
  }

  async #merge(value: MemoryValue): Promise<void> {
    const { readMemoryValue } = await import('./memory-value.ts')
    const { realm, logs } = readMemoryValue(value)
    this.#refuseForeign(realm)
    const faults: unknown[] = []
    for (const { kind, of, pieces, pending } of logs) {
      await this.learn({ name: { kind, of }, pieces, pending }).catch((fault: unknown) => faults.push(fault))
    }
    if (faults.length > 0) throw faults[0]
  }

  #refuseForeign(realm: unknown): void {
    if (typeof realm === 'string' && this.#realms.includes(realm)) return
    throw new TypeError(`The memory is of another deployment: ${String(realm)}`)
  }
}
