/** Between two batches, on average. */
export const BATCH_MS = 1_000
/** Batches that may follow each other at once after a pause, so that a caller who adds one leaf after another need not wait. */
const MAX_CREDIT = 30
/** Leaves that come in within this share the first batch after a pause. */
const GATHER_MS = 100

/** When the next batch of a log is made. */
export class Pace {
  #credit = MAX_CREDIT
  #creditedAt = 0

  /** How long the next batch waits, which uses up its credit. A clock that goes back gives none. */
  pause(now: number): number {
    const gained = Math.max(0, now - this.#creditedAt) / BATCH_MS
    this.#creditedAt = now
    this.#credit = Math.min(MAX_CREDIT, this.#credit + gained) - 1
    const missing = Math.min(1, Math.max(0, -this.#credit))
    this.#credit = Math.max(-1, this.#credit)
    return Math.max(GATHER_MS, missing * BATCH_MS)
  }
}
