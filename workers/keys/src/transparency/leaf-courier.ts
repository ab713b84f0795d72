import { type DirectoryLeaf, leafEntry } from '@svc/protocol/transparency'
import type { TransparencyLogObject } from './transparency-log-object.ts'

/** Of some 400 bytes. What comes beyond is left to its account's alarm. */
const MAX_WAITING = 1_024
/** A request may go on for 30 seconds after its answer: it carries for others for a third of that. */
const TURN_MS = 10_000
/** A turn that is older was lost with its request. */
const LOST_MS = 2 * TURN_MS

/**
 * Carries leaves from the requests of an isolate to the log: one call at a time, with all that have come in during the
 * last one. The more publications there are the more leaves go in a call, and the log makes one durable write for each.
 *
 * Only a short cut: a leaf is durable in the outbox of its account, whose alarm hands it over again, and the log takes it
 * once. So what is lost here with an isolate, or refused by a log that is down, is late by seconds and not lost. Requests
 * share nothing but the leaves: whoever finds nobody on the way makes the calls, in a context of its own.
 */
export class LeafCourier {
  readonly #logs: DurableObjectNamespace<TransparencyLogObject>
  #waiting: { readonly leafId: string; readonly entry: string }[] = []
  #since: number | null = null

  constructor(logs: DurableObjectNamespace<TransparencyLogObject>) {
    this.#logs = logs
  }

  /** To be awaited in the background. Never fails. */
  async carry(leaf: DirectoryLeaf): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push({ leafId: leaf.statementHash, entry: leafEntry(leaf) })
    const since = Date.now()
    if (this.#since !== null && since - this.#since < LOST_MS) return
    this.#since = since
    while (this.#waiting.length > 0 && Date.now() - since < TURN_MS) {
      const carried = this.#waiting
      this.#waiting = []
      await this.#submit(carried)
    }
    if (this.#since === since) this.#since = null
  }

  async #submit(leaves: readonly { readonly leafId: string; readonly entry: string }[]): Promise<void> {
    try {
      await this.#logs.getByName('log').submit(leaves)
    } catch {
      // Their outboxes have them.
    }
  }
}
