import { MAX_EVENT_WAITERS } from '@svc/protocol/events/events'

/** Requests that wait for an identity's next event, in the memory of its object. After a restart they ask again. */
export class EventWaiters {
  readonly #waiting = new Set<() => void>()

  get isFull(): boolean {
    return this.#waiting.size >= MAX_EVENT_WAITERS
  }

  wake(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Until the next event, but no longer than this. Returns at once when too many wait. */
  async next(milliseconds: number): Promise<void> {
    if (this.isFull || milliseconds <= 0) return
    const late = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    try {
      await Promise.race([promise, scheduler.wait(milliseconds, { signal: late.signal }).catch(() => {})])
    } finally {
      this.#waiting.delete(resolve)
      late.abort()
    }
  }
}
