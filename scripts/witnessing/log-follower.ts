import type { Cosigned, FollowedLogs } from './followed-logs.ts'
import type { WitnessStore } from './witness-store.ts'

export type Visit =
  | { readonly outcome: 'followed'; readonly cosigned: readonly Cosigned[] }
  /** The service contradicts what it signed. It gets no more cosignatures until an operator restarts the witness. */
  | { readonly outcome: 'false'; readonly reason: string }
  /** It did not answer, or refused the cosignature: this proves nothing against it. */
  | { readonly outcome: 'unreachable'; readonly reason: string }

/** Follows the logs of a service, and cosigns each state that extends the one before. */
export class LogFollower<R> {
  readonly #logs: FollowedLogs<R>
  readonly #store: WitnessStore
  #isFalse = false

  constructor(logs: FollowedLogs<R>, store: WitnessStore) {
    this.#logs = logs
    this.#store = store
  }

  /** The state is stored before its cosignature leaves, so that the witness never signs an earlier one. */
  async visit(now: number): Promise<Visit> {
    const { name, follow, stateOf, cosign } = this.#logs
    if (this.#isFalse) return { outcome: 'false', reason: 'as before' }
    const stored = this.#store.followed(name)
    try {
      const followed = await follow(stored === null ? null : JSON.parse(stored))
      if (!followed.ok) {
        const { reason, evidence = null } = followed.error
        this.#isFalse = true
        this.#store.keepEvidence(reason, {
          origin: name,
          at: now,
          known: stored,
          refused: JSON.stringify({ reason, evidence }),
          isFork: true,
        })
        return { outcome: 'false', reason }
      }
      if (!this.#store.follow(name, { before: stored, state: JSON.stringify(stateOf(followed.value)) }))
        return { outcome: 'unreachable', reason: 'another process of this witness has followed it since' }
      return { outcome: 'followed', cosigned: await cosign(followed.value, now) }
    } catch (error) {
      return { outcome: 'unreachable', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
