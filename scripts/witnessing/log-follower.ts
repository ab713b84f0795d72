import type { Transport } from '@svc/client'
import { type AuditState, auditStateSchema, cosign, LogAuditor } from '@svc/client/audit'
import type { ListKeys } from '@svc/protocol/merkle/log-list'
import type { WitnessStore } from './witness-store.ts'

export interface FollowedDirectory {
  /** The base URL of the key directory. */
  readonly keys: string
  readonly transport: Transport
  /** Compared with another source: a witness that takes what the directory shows watches nothing. */
  readonly listKeys: ListKeys
}

export type Visit =
  | { readonly outcome: 'cosigned' | 'empty'; readonly log: string; readonly size: number }
  /** The directory contradicts what it signed before: it gets no cosignature again until somebody has looked. */
  | { readonly outcome: 'false'; readonly reason: string }
  /** It did not answer, or refused the cosignature: this proves nothing against it. */
  | { readonly outcome: 'unreachable'; readonly reason: string }

/**
 * Follows the log of a key directory as an auditor, and cosigns each state that extends the one before and whose maps
 * of accounts follow from the entries. The map is in memory: after a start, all entries are read again.
 */
export class LogFollower {
  readonly #directory: FollowedDirectory
  readonly #store: WitnessStore
  readonly #seed: Uint8Array
  readonly #auditor: LogAuditor
  #isFalse = false

  constructor(directory: FollowedDirectory, store: WitnessStore, seed: Uint8Array) {
    this.#directory = directory
    this.#store = store
    this.#seed = seed
    this.#auditor = new LogAuditor(directory.transport, directory.keys, directory.listKeys)
  }

  /** The state is stored before its cosignature leaves, so that the witness never signs an earlier one. */
  async visit(now: number): Promise<Visit> {
    const { keys, transport } = this.#directory
    if (this.#isFalse) return { outcome: 'false', reason: 'as before' }
    const { known, stored } = this.#known()
    try {
      const followed = await this.#auditor.safeFollow(known)
      if (!followed.ok) {
        this.#isFalse = true
        this.#store.keepEvidence(followed.error.reason, {
          origin: keys,
          at: now,
          known: stored,
          refused: JSON.stringify({ reason: followed.error.reason, evidence: followed.error.evidence ?? null }),
          isFork: true,
        })
        return { outcome: 'false', reason: followed.error.reason }
      }
      const { state } = followed.value
      const { log, size } = state.checkpoint.statement
      if (!this.#store.follow(keys, { before: stored, state: JSON.stringify(state) }))
        return { outcome: 'unreachable', reason: 'another process of this witness has followed it since' }
      if (size === 0) return { outcome: 'empty', log, size }
      await cosign(transport, keys, followed.value, { seed: this.#seed, now })
      return { outcome: 'cosigned', log, size }
    } catch (error) {
      return { outcome: 'unreachable', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  #known(): { readonly stored: string | null; readonly known: AuditState | null } {
    const stored = this.#store.followed(this.#directory.keys)
    return { stored, known: stored === null ? null : auditStateSchema.parse(JSON.parse(stored)) }
  }
}
