import type { SubmittedLeaf } from './store.ts'

/** Leaves of about 400 bytes each. Any beyond this are left to their owner's alarm. */
const MAX_WAITING = 1_024
/** A request may run for 30 seconds after its response; it carries leaves for others for a third of that. */
const TURN_MS = 10_000
/** A turn older than this was lost with its request. */
const LOST_MS = 2 * TURN_MS

/**
 * Carries leaves from the requests of an isolate to the log: one call at a time, with all leaves that came in during the
 * last one. The more there are, the more leaves share a call.
 *
 * This is only a shortcut. Every leaf is durable in its owner's outbox, whose alarm submits it again, and the log takes
 * it once. A leaf that is lost here with an isolate, or refused by a log that is down, is seconds late. Requests share
 * nothing but the leaves: a request that finds no courier makes the calls itself, in its own context.
 *
 * A request brings everything that its owner still waits for, so the log gets an owner's leaves in order even if two
 * isolates carry them.
 */
export class LeafCourier {
  readonly #submit: (log: string, sentAt: number, leaves: readonly SubmittedLeaf[]) => Promise<unknown>
  #waiting: (SubmittedLeaf & { readonly log: string })[] = []
  #readAt = Number.POSITIVE_INFINITY
  #since: number | null = null

  constructor(submit: (log: string, sentAt: number, leaves: readonly SubmittedLeaf[]) => Promise<unknown>) {
    this.#submit = submit
  }

  /** `readAt`: when the owner was asked for them. Await it in the background. Never rejects. */
  async carry(log: string, readAt: number, leaves: readonly SubmittedLeaf[]): Promise<void> {
    if (this.#waiting.length + leaves.length > MAX_WAITING) return
    this.#waiting.push(...leaves.map((leaf) => ({ ...leaf, log })))
    this.#readAt = Math.min(this.#readAt, readAt)
    const since = Date.now()
    if (this.#since !== null && since - this.#since < LOST_MS) return
    this.#since = since
    while (this.#waiting.length > 0 && Date.now() - since < TURN_MS) {
      const carried = this.#waiting
      const sentAt = this.#readAt
      this.#waiting = []
      this.#readAt = Number.POSITIVE_INFINITY
      // Two logs only while one is rolled.
      for (const [name, some] of Map.groupBy(carried, (leaf) => leaf.log)) {
        const sent = some.map(({ leafId, entry }) => ({ leafId, entry }))
        // Their outboxes still have them.
        await this.#submit(name, sentAt, sent).catch(() => {})
      }
    }
    if (this.#since === since) this.#since = null
  }
}
