import type { PendingChange } from '#protocol/chain/pending'
import { pendingChangeOf } from '#protocol/chain/pending-summary'
import type { RotationSummary } from '#protocol/chain/rotation'
import type { StandingChange } from '#protocol/chain/watch'

/**
 * Called once for each rotation or deactivation that an answer shows to be pending, and for each device that begins or
 * ceases to count, also for the client's own acts. `kind` tells them apart. Somebody with the root key may be taking the
 * identity over: show it to its owner, who can stop it (`rotation.freeze`).
 */
export type OnPending = (pending: PendingChange | StandingChange) => void

/** Changes that were reported; the oldest are forgotten. Answers show the last day alone. */
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

  /** From an answer that would tell what gave or took standing. */
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
