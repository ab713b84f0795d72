import { MAX_EVENT_WAITERS, MAX_KEY_WAITERS } from '@svc/protocol/events/events'

interface Waiter {
  readonly signer: string
  readonly wake: () => void
}

/**
 * Requests that wait for an identity's next event, in the memory of its object. After a restart they ask again. Nobody
 * tells the object that a client has left, so a key that asks more often than it may wait is answered on its oldest
 * request.
 */
export class EventWaiters {
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiter>()

  wake(): void {
    for (const { wake } of this.#waiting) wake()
  }

  /** Until the next event, but no longer than this. False at once if too many others wait. */
  async next(milliseconds: number, signer: string): Promise<boolean> {
    this.#giveUpOldest(signer)
    if (this.#waiting.size >= MAX_EVENT_WAITERS) return false
    const late = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { signer, wake: resolve }
    this.#waiting.add(waiter)
    try {
      await Promise.race([promise, scheduler.wait(milliseconds, { signal: late.signal }).catch(() => {})])
    } finally {
      this.#waiting.delete(waiter)
      late.abort()
    }
    return true
  }

  #giveUpOldest(signer: string): void {
    const own = [...this.#waiting].filter((waiter) => waiter.signer === signer)
    const [oldest] = own
    if (!oldest || own.length < MAX_KEY_WAITERS) return
    this.#waiting.delete(oldest)
    oldest.wake()
  }
}
