/** How long after its time an alarm counts as lost: the platform repeats a failed one for minutes and then drops it. */
const LOST_AFTER_MS = 10 * 60_000

/**
 * The one alarm of a Durable Object, which serves everything that waits for a time. It is only ever moved to an
 * earlier time, so a steady stream of new work cannot put off old work: when it goes off, `alarm()` does what is due
 * and asks again for the rest.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  /** What storage holds; undefined until it was read. */
  #at: number | null | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Reads the stored alarm back. */
  async load(): Promise<void> {
    const stored = await this.#storage.getAlarm()
    // Set or cleared while it was being read.
    if (this.#at === undefined) this.#at = stored
  }

  /** The time that it is set to; null if it is not set, or not read yet. */
  get at(): number | null {
    return this.#at ?? null
  }

  /** For an object that does not exist: it has no alarm to read. */
  assumeNone(): void {
    this.#at = null
  }

  /**
   * Has the object woken by this time. Need not be awaited once the object has started: the write is then issued before
   * the call returns, and the output gate holds the answer until it is durable.
   */
  by(at: number): Promise<void> {
    if (this.#at === undefined) return this.load().then(() => this.#set(at))
    return this.#set(at)
  }

  /** The first statement of `alarm()`: the alarm that went off is no longer set. */
  wentOff(): void {
    this.#at = null
  }

  /** All of storage was deleted, the alarm with it. */
  deleted(): void {
    this.#at = null
  }

  #set(at: number): Promise<void> {
    const known = this.#at ?? null
    if (known !== null && known <= at && known > Date.now() - LOST_AFTER_MS) return Promise.resolve()
    this.#at = at
    return this.#storage.setAlarm(at)
  }
}
