import type { PendingChange } from '#protocol/chain/pending'
import { pendingChangeOf } from '#protocol/chain/pending-summary'
import type { RotationSummary } from '#protocol/chain/rotation'

/**
 * Called once for each rotation or deactivation that an answer shows to be pending, also for the client's own. Somebody
 * with the root key may be taking the identity over: show it to its owner, who can stop it (`rotation.freeze`).
 */
export type OnPending = (pending: PendingChange) => void

/** Reports what core tells about pending changes, once per change and not once per answer. */
export class PendingWatch {
  readonly #onPending: OnPending | undefined
  #current: PendingChange | null = null
  /** The change that was reported last. A reopened one counts as new. */
  #reported: string | null = null

  constructor(onPending?: OnPending) {
    this.#onPending = onPending
  }

  get current(): PendingChange | null {
    return this.#current
  }

  /** From an answer that would tell what is pending. */
  see(pending: PendingChange | null): void {
    this.#current = pending
    if (!pending) return
    const change = `${pending.rotationId} ${pending.requestedAt}`
    if (change === this.#reported) return
    this.#reported = change
    // Later, so that an error of the listener does not look like a failure of the call.
    queueMicrotask(() => this.#onPending?.(pending))
  }

  /** From an answer with the newest rotation of this identity, whatever its status. */
  seeNewest(rotation: RotationSummary | null): void {
    this.see(rotation?.status === 'pending' ? pendingChangeOf(rotation) : null)
  }
}
