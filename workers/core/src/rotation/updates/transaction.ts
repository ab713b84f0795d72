import type { RootStatement } from '@svc/protocol/internal/keys'
import type { IdentityTransaction } from '../../identity/transaction.ts'
import type { WaitingUpdate } from './outbox.ts'

export interface DueUpdates {
  readonly did: string
  readonly updates: readonly WaitingUpdate[]
  readonly statements: readonly RootStatement[]
}

/** What an identity's object delivers to the key directory. */
export class UpdateTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** Has the object woken when the next delivery is due. Call after the transaction of the act. */
  wake(): void {
    const { stored, updates } = this.#transaction
    const due = this.#transaction.read() ? updates.dueAt() : null
    if (due !== null) void stored.alarm.by(due)
  }

  /** What is due, with its statements in the order in which they took effect; null if nothing is. */
  due(now: number): DueUpdates | null {
    // May end the identity, which is then due too.
    const identity = this.#transaction.read()
    const updates = identity ? this.#transaction.updates.due(now) : []
    if (!identity || updates.length === 0) return null
    return { did: identity.did, updates, statements: updates.map((update) => this.#statementOf(update)) }
  }

  settle({ updates }: DueUpdates, isAcknowledged: boolean, now: number): void {
    const { stored, updates: outbox } = this.#transaction
    stored.transact(() => outbox.settle(updates, isAcknowledged, now))
  }

  #statementOf(update: WaitingUpdate): RootStatement {
    if ('statement' in update) return update.statement
    const { rotations, identities } = this.#transaction
    const signed = update.kind === 'rotation' ? rotations.request(update.statementHash) : identities.deactivation()
    if (!signed) throw new Error('Update without its statement')
    return signed.statement
  }
}
