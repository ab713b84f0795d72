import { type ObjectStorage, Outbox, outboxTable, type TableGroup } from '@svc/objects'
import { MAX_ROOT_STATEMENTS } from '@svc/protocol/internal/keys'

export const ROOT_UPDATES: TableGroup = {
  name: 'root_updates',
  steps: [{ name: 'what the key directory has not acknowledged', sql: outboxTable('root_updates') }],
}

/** What a waiting update is about: its statement is stored with the rotation, or as the identity's deactivation. */
export interface WaitingUpdate {
  readonly kind: 'rotation' | 'deactivation'
  readonly statementHash: string
}

/** Rotations and deactivations that took effect and that the key directory has not acknowledged yet. */
export class UpdateOutbox {
  readonly #outbox: Outbox
  readonly #hasDirectory: boolean

  constructor(stored: ObjectStorage, { hasDirectory }: { readonly hasDirectory: boolean }) {
    this.#outbox = new Outbox(stored.tables(ROOT_UPDATES), 'root_updates')
    this.#hasDirectory = hasDirectory
  }

  /** Idempotent: an identity that is deactivated again keeps one row. Without a directory it waits until there is one. */
  add({ kind, statementHash }: WaitingUpdate, now: number): void {
    this.#outbox.add({ id: statementHash, item: kind }, now)
  }

  /** When the next delivery is due; null if nothing waits, or nobody takes it. */
  dueAt(): number | null {
    return this.#hasDirectory ? this.#outbox.dueAt() : null
  }

  /** The oldest ones, in order; none before the next delivery is due. */
  due(now: number): WaitingUpdate[] {
    return this.#outbox
      .due(now, MAX_ROOT_STATEMENTS)
      .map(({ id, item }) => ({ kind: item as WaitingUpdate['kind'], statementHash: id }))
  }

  settle(updates: readonly WaitingUpdate[], isAcknowledged: boolean, now: number): void {
    const delivered = updates.map(({ statementHash: id }) => ({ id }))
    this.#outbox.settle(delivered, isAcknowledged, now)
  }
}
