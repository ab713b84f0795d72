import type { PendingChange } from '#protocol/chain/pending'
import { pendingChangeOf } from '#protocol/chain/pending-summary'
import type { RotationSummary } from '#protocol/chain/rotation'
import type { StandingChange } from '#protocol/chain/watch'

/**
 * Called once for each pending rotation or deactivation that a response shows, and for each device that gains or loses
 * standing, including changes that this client made. `kind` tells them apart. A thief of the root key may be taking over
 * the identity: show the change to its owner, who can stop it (`rotation.freeze`).
 */
export type OnPending = (pending: PendingChange | StandingChange) => void

/** Limit of remembered changes; the oldest are dropped. Responses list only the last day. */
const MAX_REPORTED_CHANGES = 1_000

/** Reports what core tells about pending changes, once per change and not once per answer. */
export class PendingWatch {
  readonly #onPending: OnPending | undefined
  #current: PendingChange | null = null
  /** The change that was reported last. A reopened one counts as new. */
  #reported: string | null = null
  #changes: readonly StandingChange[] = []
  readonly #reportedChanges = new Set<string>()

  constructor(onPending?: OnPending) {
    this.#onPending = onPending
  }

  get current(): PendingChange | null {
    return this.#current
  }

  get changes(): readonly StandingChange[] {
    return this.#changes
  }

  /** Takes the changes of a response that reports changes of standing. */
  seeChanges(changes: readonly StandingChange[]): void {
    this.#changes = changes
    for (const change of changes) {
      const name = `${change.kind} ${change.deviceId} ${change.at}`
      if (this.#reportedChanges.has(name)) continue
      const [oldest] = this.#reportedChanges
      if (oldest !== undefined && this.#reportedChanges.size >= MAX_REPORTED_CHANGES)
        this.#reportedChanges.delete(oldest)
      this.#reportedChanges.add(name)
      queueMicrotask(() => this.#onPending?.(change))
    }
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
